/** Cuts `<provider>:<model>` at the first colon, since a model's id may have more; undefined where a part is missing. */
export function parseReference(reference: string): { provider: string; model: string } | undefined {
  const colon = reference.indexOf(':')
  if (colon < 1 || colon === reference.length - 1) return undefined
  return { provider: reference.slice(0, colon), model: reference.slice(colon + 1) }
}
