/**
 * Probes the WebGPU adapter and requests a device with all of the adapter's limits.
 *
 * tfjs requests only six limits, and a missing adapter becomes a TypeError. Marble requests the device itself, with
 * every limit. Kernels need the limit on storage buffers per stage, and use no optional feature.
 */
import { MarbleError } from '../base/error';

export interface Capabilities {
  /** Vendor, architecture and description in one line. */
  adapterName: string;
  /** A GPU emulated on the CPU: correct, and slower than the wasm backend. */
  isSoftware: boolean;
  /** Largest single buffer, in bytes. */
  maxBufferBytes: number;
  /** Largest storage binding of one kernel, in bytes. */
  maxBindingBytes: number;
  /** Workgroup memory per kernel, in bytes. */
  maxWorkgroupBytes: number;
}

/** Returns the fastest adapter, or null if WebGPU is unavailable. */
export async function probeAdapter(): Promise<GPUAdapter | null> {
  const platform = (globalThis as { navigator?: { gpu?: GPU } }).navigator;
  if (platform?.gpu === undefined) return null;
  try {
    return await platform.gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch {
    return null; // on some platforms a blocklisted driver throws
  }
}

/**
 * Requests a device with all limits of the adapter.
 *
 * @throws MarbleError `gpu/no-device` when the adapter refuses, for instance because the GPU process has crashed
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

/** Adapter properties that determine a kernel's tile sizes. */
export type AdapterTraits = Pick<Capabilities, 'isSoftware' | 'maxBindingBytes' | 'maxWorkgroupBytes'>;

/** Capabilities of an open device, for kernels and memory planning. */
export function describeDevice(device: GPUDevice, info: GPUAdapterInfo): Capabilities {
  return {
    adapterName: nameAdapter(info),
    isSoftware: isSoftwareAdapter(info),
    maxBufferBytes: device.limits.maxBufferSize,
    maxBindingBytes: device.limits.maxStorageBufferBindingSize,
    maxWorkgroupBytes: device.limits.maxComputeWorkgroupStorageSize,
  };
}

/** Name of the adapter. Browsers often reveal only its vendor and family. */
export function nameAdapter(info: GPUAdapterInfo): string {
  const { vendor, architecture, device, description } = info;
  const parts = [vendor, architecture, device, description].filter(
    (part) => part !== '' && part !== undefined,
  );
  return parts.length > 0 ? parts.join(' ') : 'unnamed adapter';
}

/** Returns whether the adapter runs on the CPU, judged by its own flag or its name. */
export function isSoftwareAdapter(info: GPUAdapterInfo): boolean {
  const flagged = (info as { isFallbackAdapter?: boolean }).isFallbackAdapter === true;
  return flagged || /swiftshader|llvmpipe|lavapipe|basic render/i.test(nameAdapter(info));
}
