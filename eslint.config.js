import tseslint from 'typescript-eslint';

/**
 * The rooms from the ground up: from which others a room may import, and from which types alone. All may import
 * `src/error.ts`, `src/random.ts`, `src/digest.ts`, `src/sha256.ts` and `src/untrusted.ts`. docs/architecture.md says what lives in each.
 */
const rooms = {
  tom: {},
  reward: { values: ['tom'] },
  gpu: {},
  ops: { values: ['gpu'] },
  model: { values: ['gpu', 'ops'] },
  run: { values: ['tom', 'reward'], types: ['model'] },
  rl: { values: ['tom', 'reward', 'run'], types: ['model'] },
  store: { values: ['run'], types: ['tom', 'gpu', 'ops', 'model'] },
  share: { values: ['run'], types: ['reward', 'rl'] },
  export: { values: ['tom', 'reward', 'model', 'rl', 'run', 'share'] },
  command: { values: ['tom', 'reward', 'gpu', 'model', 'run', 'rl', 'share', 'export', 'index'] },
  workers: {
    values: ['tom', 'gpu', 'model', 'run', 'store', 'share', 'export', 'index'],
    types: ['ops', 'rl'],
  },
  app: { values: ['tom', 'run', 'share', 'export', 'workers'], types: ['reward', 'store'] },
};

const borders = Object.entries(rooms).map(([room, { values = [], types = [] }]) => {
  const others = [...Object.keys(rooms), 'index'].filter((name) => name !== room && !values.includes(name));
  const from = (name) => `^(\\.\\./)+(src/)?${name}(/|$)`;
  const message = (name) =>
    types.includes(name)
      ? `${room} may import only types from ${name}: see the rooms in eslint.config.js.`
      : `${room} may not import from ${name}: see the rooms in eslint.config.js.`;
  return {
    files: [room === 'workers' ? 'workers/**/*.ts' : `src/${room}/**/*.{ts,tsx}`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: others.map((name) => ({
            regex: from(name),
            message: message(name),
            allowTypeImports: types.includes(name),
          })),
        },
      ],
      // The rule above passes over `import('…')`.
      'no-restricted-syntax': [
        'error',
        ...others.map((name) => ({
          selector: `ImportExpression[source.value=/${from(name).replaceAll('/', '\\/')}/]`,
          message: message(name),
        })),
      ],
      ...(room === 'app' || room === 'workers'
        ? {}
        : { 'no-restricted-globals': ['error', 'window', 'document', 'self', 'localStorage'] }),
    },
  };
});

export default tseslint.config(
  { ignores: ['.cache', 'dist', 'dist-package', 'node_modules', 'public', '**/*.mjs', 'eslint.config.js'] },
  tseslint.configs.base,
  ...borders,
);
