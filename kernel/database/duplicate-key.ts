/** Whether a write was refused because a document with the same unique key is there already. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11000
}
