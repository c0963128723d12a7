import { createHash } from 'node:crypto'

/** Returns the key of a message of a reply: 26 letters and digits, the same in every process. */
export function createMessageKey(key: string, index: number): string {
  const hash = createHash('sha256').update(`${key}/${index}`).digest('hex')
  return BigInt(`0x${hash}`).toString(36).padStart(26, '0').slice(-26)
}
