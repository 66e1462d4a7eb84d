/**
 * Names in the browser's storage. All pages of an origin share it, so two copies of Marble in different folders would open
 * each other's data and locks.
 */

/** The globals of a page or of a worker; Node has neither. */
interface Place {
  document?: { baseURI: string };
  location?: { href?: string };
}

/** Path of the folder that holds the page. Scripts of workers are in a folder below it. */
export function deploymentPath({ document, location }: Place = globalThis): string {
  if (document !== undefined) return new URL('.', document.baseURI).pathname;
  return location?.href === undefined ? '/' : new URL('..', location.href).pathname;
}

/** A name that only this deployment uses. A page at the root of its origin has the bare name. */
export function ofDeployment(name: string, path = deploymentPath()): string {
  return path === '/' ? name : `${name} ${path}`;
}
