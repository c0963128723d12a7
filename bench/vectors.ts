import { createHash } from 'node:crypto'

/** The length of the vectors. */
const DIMENSIONS = 768
const CLUSTERS = 400
/** The distance of a vector from the middle of its cluster, relative to that of two clusters. */
const SPREAD = 0.6

const middles = new Map<number, number[]>()

/** Creates numbers between 0 and 1, always the same ones for a seed. */
export function createNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns numbers around 0, as a sum of three others is distributed. */
const scatter = (seed: number): number[] => {
  const next = createNumbers(seed)
  return Array.from({ length: DIMENSIONS }, () => next() + next() + next() - 1.5)
}

/** Returns a vector for a text, always the same one, in one of the clusters. */
export function vectorOf(text: string): number[] {
  const seed = createHash('sha256').update(text).digest().readUInt32LE()
  const cluster = seed % CLUSTERS
  const middle = middles.get(cluster) ?? scatter(cluster + 1)
  middles.set(cluster, middle)
  return scatter(seed).map((value, index) => middle[index]! + SPREAD * value)
}
