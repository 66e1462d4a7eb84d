import tseslint from 'typescript-eslint';

/** The rooms from the ground up (docs/architecture.md): an import goes down this list only. */
const rooms = ['tom', 'reward', 'gpu', 'ops', 'model', 'rl', 'store', 'share', 'export', 'app'];

/** What a room may not import although it stands below it in the list. */
const besides = {
  gpu: ['tom', 'reward'],
  ops: ['tom', 'reward'],
  model: ['tom', 'reward'],
  store: ['tom', 'reward', 'gpu', 'ops', 'model', 'rl'],
  share: ['store'],
  export: ['gpu', 'ops', 'store'],
  app: ['gpu', 'ops', 'model', 'store', 'reward'],
};

const borders = rooms.map((room, height) => {
  const forbidden = [...rooms.slice(height + 1), ...(besides[room] ?? [])];
  return {
    files: [`src/${room}/**/*.{ts,tsx}`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: forbidden.map((name) => ({
            regex: `^(\\.\\./)+${name}/`,
            message: `src/${room} may not import from src/${name}: imports go down the house only.`,
            allowTypeImports: (besides[room] ?? []).includes(name),
          })),
        },
      ],
      ...(room === 'app'
        ? {}
        : { 'no-restricted-globals': ['error', 'window', 'document', 'self', 'localStorage'] }),
    },
  };
});

export default tseslint.config(
  { ignores: ['.cache', 'dist', 'node_modules', 'public', '**/*.mjs', 'eslint.config.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/prefer-literal-enum-member': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  { files: ['scripts/**', 'tests/**'], rules: { 'no-console': 'off' } },
  ...borders,
);
