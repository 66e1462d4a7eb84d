/**
 * What the machine offers: a probe of the WebGPU adapter, and a device of our own with all of the adapter's limits.
 *
 * tfjs asks for six limits and no optional feature, and turns a missing adapter into a TypeError. We ask first, take
 * every limit (storage buffers per stage among them, which the fused kernels need) and timestamps where present. Kernels use
 * no optional feature.
 */
import { MarbleError } from '../base/error';

/** Optional features that are requested when the adapter has them. */
const WANTED_FEATURES: readonly GPUFeatureName[] = ['timestamp-query'];

export interface Capabilities {
  /** Vendor, architecture and description in one line. */
  adapterName: string;
  /** A GPU emulated on the CPU: correct, and slower than the wasm backend. */
  isSoftware: boolean;
  /** Features that the open device has. */
  features: string[];
  /** Largest single buffer, in bytes. */
  maxBufferBytes: number;
  /** Largest part of a buffer that one kernel can see, in bytes. */
  maxBindingBytes: number;
  /** Workgroup memory of one kernel, in bytes. */
  maxWorkgroupBytes: number;
  /** Invocations in one workgroup. */
  maxInvocations: number;
}

/** The fastest adapter that the platform offers, or null where there is no WebGPU. */
export async function probeAdapter(): Promise<GPUAdapter | null> {
  const platform = (globalThis as { navigator?: { gpu?: GPU } }).navigator;
  if (platform?.gpu === undefined) return null;
  try {
    return await platform.gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch {
    return null; // A driver on the browser's block list refuses by throwing on some platforms.
  }
}

/**
 * A device with everything the adapter has.
 *
 * @throws MarbleError `gpu/no-device` when the adapter refuses, for instance because the GPU process is gone
 */
export async function requestDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {};
  const limits = adapter.limits as unknown as Record<string, unknown>;
  for (const name in limits) {
    const limit = limits[name];
    if (typeof limit === 'number') requiredLimits[name] = limit;
  }
  try {
    return await adapter.requestDevice({
      label: 'marble',
      requiredFeatures: WANTED_FEATURES.filter((feature) => adapter.features.has(feature)),
      requiredLimits,
    });
  } catch (cause) {
    throw new MarbleError(
      'gpu/no-device',
      `The GPU adapter "${nameAdapter(adapter.info)}" refused to open a device: ${String(cause)}`,
      'Close other tabs that use the GPU and reload, or choose the wasm backend.',
      { cause },
    );
  }
}

/** What the choice of a kernel's tiles depends on. */
export interface AdapterTraits {
  isSoftware: boolean;
  maxBindingBytes: number;
  maxWorkgroupBytes: number;
  maxInvocations: number;
}

/** What an open device can do, in the terms that kernels and memory plans ask for. */
export function describeDevice(device: GPUDevice, info: GPUAdapterInfo): Capabilities {
  return {
    adapterName: nameAdapter(info),
    isSoftware: isSoftwareAdapter(info),
    features: [...device.features].sort(),
    maxBufferBytes: device.limits.maxBufferSize,
    maxBindingBytes: device.limits.maxStorageBufferBindingSize,
    maxWorkgroupBytes: device.limits.maxComputeWorkgroupStorageSize,
    maxInvocations: device.limits.maxComputeInvocationsPerWorkgroup,
  };
}

/** All that the browser tells of it: often the maker and the family only. */
export function nameAdapter(info: GPUAdapterInfo): string {
  const { vendor, architecture, device, description } = info;
  const parts = [vendor, architecture, device, description].filter(
    (part) => part !== '' && part !== undefined,
  );
  return parts.length > 0 ? parts.join(' ') : 'unnamed adapter';
}

/** Whether the processor computes: by the adapter's own word, or its name. */
export function isSoftwareAdapter(info: GPUAdapterInfo): boolean {
  const flagged = (info as { isFallbackAdapter?: boolean }).isFallbackAdapter === true;
  return flagged || /swiftshader|llvmpipe|lavapipe|basic render/i.test(nameAdapter(info));
}
