/**
 * Checks that AMD cards have enough registers for every kernel of a LoRA step of the 0.5B shape (heads of 64) and of
 * Qwen3's (heads of 128). Values without a register are reloaded from memory at each use, which makes a kernel many
 * times slower. No card is needed: Dawn writes each kernel as SPIR-V, and Mesa's driver compiles it for a card that is
 * not present (registers.c).
 *
 *   node scripts/run.mjs tests/matrix/registers.ts [part of a kernel's name]     (a part of `npm run matrix`; 3 minutes)
 */
import '../fixtures/webgpu/node-webgpu';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import type { AdapterTraits } from '../../src/gpu/capabilities';
import { openEngine, type Engine, type Policy } from '../../src/index';
import { parseModelConfig } from '../../src/model/config';
import { halfBillionConfig } from '../fixtures/half-billion';
import { adapterTraits } from '../../src/ops/matmul';
import { unwritten } from '../fixtures/webgpu/unsent';
import { policyOf } from '../model/tiny';

const wanted = process.argv[2] ?? '';
/** By Mesa's names; before its release 24 navi31 was gfx1100. */
const FAMILIES = ['navi21', 'navi31', 'raven'];
const DRIVER = ['radeon_icd.json', 'radeon_icd.x86_64.json']
  .map((file) => `/usr/share/vulkan/icd.d/${file}`)
  .find((file) => existsSync(file))!;

const shapes: Record<string, Record<string, unknown>> = {
  'heads of 64': halfBillionConfig(1),
  'heads of 128': {
    ...halfBillionConfig(1),
    model_type: 'qwen3',
    architectures: ['Qwen3ForCausalLM'],
    hidden_size: 1024,
    num_attention_heads: 16,
    num_key_value_heads: 8,
    head_dim: 128,
    intermediate_size: 3072,
  },
};

/** Traits of a graphics card that the tile rules read. */
const CARD: Partial<AdapterTraits> = { isSoftware: false, maxWorkgroupBytes: 32768, maxInvocations: 1024 };

/** A LoRA policy with unwritten weights. */
function openPolicy(engine: Engine, json: Record<string, unknown>): Promise<Policy> {
  return policyOf(engine, parseModelConfig(json), unwritten, { rank: 16, alpha: 32 });
}

/** An evaluation of 64 prompts, and a step of 8 sequences of 512 tokens; sampling up to its first readback. */
async function firstStep(policy: Policy): Promise<void> {
  const tokens = (count: number, row: number): number[] =>
    Array.from({ length: count }, (_, i) => 1 + ((i + row) % 9));
  const promptsOf = (count: number): number[][] =>
    Array.from({ length: count }, (_, row) => tokens(128 - (row % 4), row));
  const answered = (prompts: number[][]): number[][] =>
    prompts.map((prompt, row) => [...prompt, ...tokens(384 - (row % 3), row)]);
  const lengths = (prompts: number[][]): number[] => prompts.map(({ length }) => length);
  const sampling = { maxNewTokens: 17, seed: 1, stopIds: [0] };
  const evaluated = promptsOf(64);
  for (const temperature of [0, 1])
    await policy.generate(evaluated, { ...sampling, samplesPerPrompt: 1, temperature });
  await policy.logprobs(answered(evaluated), lengths(evaluated));
  const trained = promptsOf(2);
  await policy.generate(trained, { ...sampling, samplesPerPrompt: 4, temperature: 1 });
  const rows = trained.flatMap((prompt) => new Array<number[]>(4).fill(prompt));
  await policy.logprobs(answered(rows), lengths(rows), { adapter: 'off' });
  await policy.backward(answered(rows), lengths(rows), {
    objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map(() => 1)) }),
  });
}

/** WGSL of every kernel that an evaluation and a step ask for, by its label. */
async function kernelsOf(config: Record<string, unknown>): Promise<Map<string, string>> {
  const engine = await openEngine({ backend: 'webgpu' });
  Object.assign(adapterTraits(), CARD);
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const policy = await openPolicy(engine, config);
  const codes = new Map<string, string>();
  device.createShaderModule = ({ code, label = '' }) => {
    if (label.includes(wanted)) codes.set(`${label} (${codes.size})`, code);
    return {} as GPUShaderModule;
  };
  device.createComputePipelineAsync = () => Promise.resolve({} as GPUComputePipeline);
  await policy.compileAhead!(firstStep, () => Promise.resolve());
  policy.dispose();
  engine.dispose();
  return codes;
}

/** Runs in a separate process, since Dawn prints the SPIR-V. */
const TO_SPIRV = `
  import { readFileSync } from 'node:fs';
  import { create, globals } from 'webgpu';
  Object.assign(globalThis, globals);
  const gpu = create(['enable-dawn-features=dump_shaders', 'backend=vulkan']);
  const adapter = await gpu.requestAdapter();
  const device = await adapter.requestDevice({
    requiredLimits: {
      maxComputeWorkgroupStorageSize: adapter.limits.maxComputeWorkgroupStorageSize,
      maxComputeInvocationsPerWorkgroup: adapter.limits.maxComputeInvocationsPerWorkgroup,
      maxStorageBuffersPerShaderStage: adapter.limits.maxStorageBuffersPerShaderStage,
    },
  });
  const { code } = JSON.parse(readFileSync(0, 'utf8'));
  device.pushErrorScope('validation');
  device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
  const wrong = await device.popErrorScope();
  if (wrong) { console.error(wrong.message); process.exit(1); }
  process.exit(0);`;

function must(
  command: string,
  args: readonly string[],
  input?: string,
  env?: Record<string, string>,
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  if (error) throw new Error(`registers: ${command} is missing (apt install gcc libvulkan-dev spirv-tools)`);
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stderr.slice(-2000)}`);
  return stdout + stderr;
}

/** Lines that the spirv-as of 2023 cannot read. They do not affect registers. */
const UNKNOWN_IN_2023 = /^.*(MaximallyReconverges|maximal_reconvergence).*\n/gm;

const folder = mkdtempSync(join(tmpdir(), 'marble-registers-'));
const program = join(folder, 'registers');
must('cc', [join(import.meta.dirname, 'registers.c'), '-O1', '-lvulkan', '-o', program]);
for (const [heads, config] of Object.entries(shapes)) {
  const kernels = await kernelsOf(config);
  if (kernels.size === 0) continue;
  const files = new Map<string, string>();
  for (const [name, code] of kernels) {
    const printed = must(process.execPath, ['--input-type=module', '-e', TO_SPIRV], JSON.stringify({ code }));
    const from = printed.indexOf('; SPIR-V');
    const assembly = printed.slice(
      from,
      printed.indexOf('OpFunctionEnd', printed.lastIndexOf('OpFunction %')) + 14,
    );
    const path = join(folder, `${files.size}.spv`);
    writeFileSync(`${path}asm`, assembly.replaceAll(UNKNOWN_IN_2023, ''));
    must('spirv-as', ['--target-env', 'vulkan1.3', `${path}asm`, '-o', path]);
    files.set(path, name);
  }
  for (const family of FAMILIES) {
    const lines = must(program, [...files.keys()], undefined, {
      RADV_FORCE_FAMILY: family,
      VK_DRIVER_FILES: DRIVER,
      VK_ICD_FILENAMES: DRIVER,
    });
    const found = lines
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([path]) => files.has(path))
      .map(([path, registers, spilled]) => ({
        name: files.get(path)!,
        registers: +registers,
        spilled: +spilled,
      }));
    const spilling = found.filter(({ spilled }) => spilled > 0);
    for (const { name, registers, spilled } of spilling) {
      console.log(`${family}, ${heads}: ${name} takes ${registers} registers and spills ${spilled}`);
      process.exitCode = 1;
    }
    console.log(
      `${family}, ${heads}: ${found.length} of ${files.size} kernels compiled, at most ` +
        `${Math.max(...found.map(({ registers }) => registers))} registers, ${spilling.length} spill`,
    );
    if (found.length < files.size) process.exitCode = 1;
  }
}
rmSync(folder, { recursive: true });
process.exit();
