/** The architecture, read from a model's `config.json` (Hugging Face's names on the left of `parseModelConfig`). */
export interface ModelConfig {
  architecture: 'qwen2' | 'qwen3' | 'llama';
  hiddenSize: number;
  layers: number;
  heads: number;
  /** Key/value heads; divides `heads`. */
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
  vocabularySize: number;
  normEpsilon: number;
  ropeTheta: number;
  /** Whether q, k and v projections have a bias (qwen2 yes; qwen3 and llama as their config says). */
  attentionBias: boolean;
  /** RMSNorm on every head of q and k before the rotation (qwen3). */
  headNorm: boolean;
  /** Whether the output head is the embedding table. */
  tiedHead: boolean;
  maxPositions: number;
  eosTokenIds: number[];
}
