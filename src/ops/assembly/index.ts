/** Kernels of the wasm backend: one module over the memory of tfjs's tensors. */
export { appendKeysAndValues, softmax, softmaxGradient } from './attention';
export { drawTokens, headGradient, headStatistics } from './head';
export { product } from './product';
export { usePanel } from './pack';
export {
  adamW,
  rmsNorm,
  rmsNormGainGradient,
  rmsNormGradient,
  rotateHeads,
  scaleRows,
  swiglu,
  swigluGradient,
} from './rows';
