/**
 * Parsers of untrusted files, each with a valid file and the loading code, for fuzzing. Those of links and of run files have
 * tests of their own: damage almost always breaks the hash of a run file.
 */
import { blobSource } from '../../src/model/source/byte-source';
import { openAdapter, parseAdapterConfig } from '../../src/model/files/adapter-files';
import { parseChatTemplate } from '../../src/model/tokenizer/parse-chat-template';
import { parseModelConfig, type ModelConfig } from '../../src/model/config';
import {
  elementsOf,
  openSafetensors,
  writeSafetensors,
  type TensorToWrite,
} from '../../src/model/files/safetensors';
import { readFloat32 } from '../../src/model/files/half-floats';
import { openWeights, parseShardIndex } from '../../src/model/files/weights-reader';
import { openSource } from '../../src/model/source/source';
import { checkTensors, expectedTensors } from '../../src/model/files/tensor-table';
import { ggufFields, writeGguf } from '../fixtures/gguf-file';
import { configJson, tinyConfig } from '../model/tiny';
import { tinyJson } from '../model/tokenizer/tiny-tokenizer';
import { quickFile } from '../fixtures/quick-file';
import type { ChatMessage } from '../../src/model/tokenizer/chat-template';
import { readTokenizer } from '../../src/model/tokenizer/tokenizer';
import { importDataset } from '../../src/tom/import/import-dataset';

export interface Parser {
  name: string;
  /** A valid file. */
  good: Uint8Array;
  /** Parses a file. It may reject only with a `MarbleError`. */
  read: (bytes: Uint8Array) => Promise<unknown>;
  /** At least one in so many damaged files is refused; default 4. */
  refusedOne?: number;
}

const row = { story: 'Ann entered the hall.', question: 'Where is Ann?', answer: 'hall' };
/** Data sets. A library parses parquet; a watchdog stops it if it hangs. */
const datasets: Record<string, string> = {
  'rows.json': JSON.stringify([row, { ...row, choices: ['hall', 'b'] }]),
  'rows.jsonl': `${JSON.stringify(row)}\n${JSON.stringify(row)}`,
  'rows.csv': 'story;question;answer\n"a";b;"c""d"\ne;f;g\n',
  'babi.txt': '1 Ann entered the hall.\n2 Where is Ann?\thall\t1\n',
};

const config: ModelConfig = {
  ...{ ...tinyConfig, architecture: 'llama', attentionBias: false, hiddenSize: 4, layers: 1, heads: 2 },
  ...{ headDim: 2, intermediateSize: 4, vocabularySize: 8, eosTokenIds: [1, 2] },
};
const rope_parameters = { rope_theta: 10000, rope_type: 'default' };
const modelJson = { ...configJson(config), rope_theta: undefined, rope_parameters, sliding_window: null };

const tensors = expectedTensors(config).map((tensor): TensorToWrite => ({
  ...tensor,
  dtype: 'F32',
  data: new Float32Array(elementsOf(tensor)),
}));

const prefix = 'base_model.model.model.layers.0.self_attn.q_proj';
const adapterTensors: TensorToWrite[] = [
  { name: `${prefix}.lora_A.weight`, dtype: 'F32', shape: [2, 4], data: new Float32Array(8) },
  { name: `${prefix}.lora_B.weight`, dtype: 'F32', shape: [4, 2], data: new Float32Array(8) },
];
const adapterConfig = { peft_type: 'LORA', r: 2, lora_alpha: 4, bias: 'none', target_modules: ['q_proj'] };

const letters = Object.fromEntries(Array.from('abcdeĠ{}|<>', (letter, id) => [letter, id]));
/** With the letters of the template’s turns. */
const vocab = { ...letters, ab: 11, abc: 12, u: 13, s: 14, r: 15, ':': 16 };
const tokenizerJson = {
  ...tinyJson,
  added_tokens: [{ id: 20, content: '<|end|>', special: true, normalized: false, rstrip: true }],
  model: { type: 'BPE', unk_token: null, vocab, merges: ['a b', 'ab c'] },
  normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }] },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: '\\p{L}+| ?[^\\s\\p{L}]+' }, behavior: 'Isolated', invert: false },
      { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
    ],
  },
};
const template =
  "{% for m in messages %}{{ m['role'] + ':' + m['content'] | trim }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}a:{% endif %}";
const tokenizerConfig = { eos_token: { content: '<|end|>' }, chat_template: [{ name: 'default', template }] };

const sizes = { hiddenSize: 32, headDim: 16, intermediateSize: 32, vocabularySize: 4 };
const gguf = writeGguf(ggufFields({ ...config, ...sizes }), [
  { name: 'token_embd.weight', shape: [4, 32], type: 2, data: new Uint8Array(72).fill(17) },
  { name: 'blk.0.attn_q.weight', shape: [32, 32], type: 8, data: new Uint8Array(1088).fill(17) },
  { name: 'rope_freqs.weight', shape: [8], data: new Float32Array(8).fill(1) },
]);

const weight_map = { a: 'model-1.safetensors', b: 'model-2.safetensors' };
const shardIndex = { metadata: { total_size: 9 }, weight_map };

const utf8 = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

const weights = writeSafetensors(tensors);

const filesOf = (bytes: Record<string, Uint8Array>): Record<string, Blob> =>
  Object.fromEntries(Object.entries(bytes).map(([name, content]) => [name, quickFile(content)]));

const open = (bytes: Record<string, Uint8Array>) => openSource({ files: filesOf(bytes) });

const json = (name: string, value: unknown, parse: (json: unknown) => unknown): Parser => ({
  ...{ name, good: utf8(value) },
  read: async (bytes) => parse(await (await open({ [name]: bytes })).json(name)),
});

/** Opens a tokenizer and uses it once. */
async function useTokenizer(files: Record<string, Uint8Array>): Promise<unknown> {
  const tokenizer = await readTokenizer(await open(files));
  const ids = tokenizer.encode('abc');
  tokenizer.decode(ids, { keepSpecial: true });
  return tokenizer.hasChatTemplate ? tokenizer.chat([{ role: 'user', content: 'abc' }]) : ids;
}

export async function parsers(): Promise<Parser[]> {
  const adapter = writeSafetensors(adapterTensors);
  return [
    ...Object.entries(datasets).map(([name, text]) => ({
      ...{ name, good: utf8(text), refusedOne: 25 },
      read: (bytes: Uint8Array) => importDataset(quickFile(bytes)),
    })),
    {
      name: 'model.safetensors',
      good: new Uint8Array(await weights.arrayBuffer()),
      async read(bytes) {
        const table = await openSafetensors(blobSource(quickFile(bytes)));
        checkTensors(config, table);
        return Promise.all([...table.values()].map(readFloat32));
      },
    },
    {
      name: 'model.gguf',
      good: gguf,
      async read(bytes) {
        const opened = await open({ 'model.gguf': bytes });
        parseModelConfig(await opened.json('config.json'));
        await useTokenizer({ 'model.gguf': bytes });
        const checkpoint = await openWeights(opened);
        return Promise.all([...checkpoint.values()].map(readFloat32));
      },
    },
    json('model.safetensors.index.json', shardIndex, parseShardIndex),
    json('config.json', modelJson, parseModelConfig),
    {
      name: 'tokenizer.json',
      good: utf8(tokenizerJson),
      read: (bytes) =>
        useTokenizer({ 'tokenizer.json': bytes, 'chat_template.jinja': utf8('abc <|end|> {a}') }),
    },
    {
      name: 'tokenizer_config.json',
      good: utf8(tokenizerConfig),
      read: (bytes) =>
        useTokenizer({ 'tokenizer.json': utf8(tokenizerJson), 'tokenizer_config.json': bytes }),
    },
    {
      name: 'chat_template.jinja',
      good: utf8(template),
      async read(bytes) {
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        const messages: ChatMessage[] = [{ role: 'user', content: 'abc' }];
        return Promise.resolve(parseChatTemplate(text, { eos_token: '<|end|>' }).render(messages));
      },
    },
    json('adapter_config.json', adapterConfig, parseAdapterConfig),
    {
      name: 'adapter_model.safetensors',
      good: new Uint8Array(await adapter.arrayBuffer()),
      read: async (bytes) =>
        openAdapter(
          await open({ 'adapter_config.json': utf8(adapterConfig), 'adapter_model.safetensors': bytes }),
          config,
        ),
    },
  ];
}
