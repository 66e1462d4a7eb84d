/**
 * Script URLs for starting workers under the content security policy. The policy requires Trusted Types in the page,
 * and in each worker that the host serves with the policy.
 */

/** The part of the browser's Trusted Types used here. TypeScript's own library does not declare them yet. */
interface ScriptAddressPolicy {
  createScriptURL(address: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptAddressPolicy): ScriptAddressPolicy;
}

/**
 * Creates the only policy that `scripts/build/content-security-policy.ts` allows. Call it once in the page and once
 * in each worker that starts other workers.
 *
 * @returns a function from the name of a known script to its URL
 */
export function ownAddresses<Name extends string>(
  addresses: Record<Name, () => string>,
): (name: Name) => string {
  const rules: ScriptAddressPolicy = { createScriptURL: (name) => addresses[name as Name]() };
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('marble-worker', rules) ?? rules;
  return (name) => policy.createScriptURL(name);
}
