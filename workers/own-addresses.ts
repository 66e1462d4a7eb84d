/**
 * Addresses of our own scripts under the content security policy, which requires Trusted Types wherever a worker is
 * started: in the page, and in a worker that the host has sent with the policy.
 */

/** The part of the browser's Trusted Types that is used here; TypeScript's own library does not know them yet. */
interface ScriptAddressPolicy {
  createScriptURL(address: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptAddressPolicy): ScriptAddressPolicy;
}

/**
 * Makes the one policy that `scripts/build/content-security-policy.ts` allows; call it once in the page and once in each
 * worker that starts others.
 *
 * @returns the address of a script by its name, and of no other
 */
export function ownAddresses<Name extends string>(
  addresses: Record<Name, () => string>,
): (name: Name) => string {
  const rules: ScriptAddressPolicy = { createScriptURL: (name) => addresses[name as Name]() };
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('marble-worker', rules) ?? rules;
  return (name) => policy.createScriptURL(name);
}
