/** Address of this page, for a link. @param hash - for example from `encodeLink` */
export const addressWith = (hash: string): string => new URL(hash, location.href).href;
