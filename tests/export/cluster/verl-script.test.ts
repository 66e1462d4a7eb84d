import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verlScript } from '../../../src/export/cluster/export-texts';
import { verlSettings } from '../../../src/export/cluster/verl-settings';
import { algorithms } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { folderForAll } from '../../fixtures/folder';

const folder = folderForAll('verl');

/** Arguments that the script passes to python3, recorded by a substitute. */
function argumentsOf(config: RunConfig, ...more: string[]): string[] {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['python3', 'hf']) {
    writeFileSync(join(bin, name), '#!/bin/sh\nfor each in "$@"; do printf "%s\\n" "$each"; done\n', {
      mode: 0o755,
    });
  }
  const mapped = verlSettings(config, 99);
  writeFileSync(join(folder, 'run-verl.sh'), verlScript(mapped));
  const { stdout, stderr, status } = spawnSync('bash', ['run-verl.sh', ...more], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

describe('run-verl.sh', () => {
  it('passes verl one override per setting and the script’s own arguments', () => {
    const config = { ...presets['ladder-25k'], algorithm: algorithms.dapo };
    const found = argumentsOf(config, 'trainer.total_training_steps=5');
    expect(found.slice(0, 2)).toEqual(['-m', 'verl.trainer.main_ppo']);
    expect(found).toContain(`data.train_files=${folder}/train.parquet`);
    expect(found).toContain(`actor_rollout_ref.model.path=${folder}/model`);
    expect(found).toContain('actor_rollout_ref.actor.optim.betas=[0.9,0.95]');
    expect(found).toContain('data.shuffle=False');
    expect(found).toContain('+reward.reward_kwargs.overlong_buffer_cfg.len=16');
    expect(found).toContain('actor_rollout_ref.model.custom_chat_template="{% for message in messages %}{{ message.content }}{% endfor %}"'); // prettier-ignore
    expect(found.at(-1)).toBe('trainer.total_training_steps=5');
    expect(found.slice(2).every((each) => /^\+?[\w.]+=/.test(each))).toBe(true);
  });

  it('downloads a model of the Hub at its commit', () => {
    const found = argumentsOf(presets['tom-rl']).join(' ');
    const { model } = presets['tom-rl'];
    if (model.kind !== 'hub') throw new Error('this preset trains a model of the Hub');
    expect(found).toContain(`model.path=download ${model.repository} --revision ${model.revision}`);
  });
});
