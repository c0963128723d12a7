// Bloom filters: a few bits for each term of a message, from which the database tells that a message lacks a term.

import type { Terms } from '../text/terms.ts'

/** The sizes of filters, in bytes; powers of two, so that the bits of a term follow from one hash. */
export const FILTER_SIZES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192] as const

/** The size of a filter; the largest one also serves longer messages, which are then found in vain more often. */
export type FilterSize = (typeof FILTER_SIZES)[number]

/** The bits of a filter for each bit that its terms set. */
const SPARSITY = 2.5

/** Returns a hash of 32 bits (FNV-1a, its bits mixed once more). */
function hash(term: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < term.length; index += 1)
    value = Math.imul(value ^ term.charCodeAt(index), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** Returns the bits that terms set in a filter of this size. */
export function toFilter(terms: Terms, size: FilterSize): Buffer {
  const filter = Buffer.alloc(size)
  const last = size * 8 - 1
  for (const [term, bits] of terms) {
    const value = hash(term)
    const step = (value >>> 16) | 1
    for (let n = 0; n < bits; n += 1) {
      const bit = (value + n * step) & last
      filter[bit >> 3]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/** Returns the size of the filter for a message with these terms. */
export function chooseSize(terms: Terms): FilterSize {
  let sum = 0
  for (const bits of terms.values()) sum += bits
  return FILTER_SIZES.find((size) => size * 8 >= sum * SPARSITY) ?? FILTER_SIZES.at(-1)!
}

/** Creates a test that is true for the filters of a size that have all bits of these terms. */
export function createFilterTest(terms: Terms, size: FilterSize): (filter: Uint8Array) => boolean {
  const bytesToTest = [...toFilter(terms, size).entries()].filter(([, bits]) => bits !== 0)
  return (filter) => bytesToTest.every(([index, bits]) => (filter[index]! & bits) === bits)
}
