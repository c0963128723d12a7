/** Creates a pseudorandom number generator (mulberry32): numbers from 0 up to 1, the same for the same seed. */
export function createRandom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A source of random values that are the same for the same seed. */
export interface Chance {
  /** An integer, both ends included. */
  int(least: number, most: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** A list whose length is a random integer, both ends included. */
  list<Item>(least: number, most: number, make: (index: number) => Item): Item[]
}

/** Creates a source of random values. */
export function createChance(seed: number): Chance {
  const random = createRandom(seed)
  const int = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  return {
    int,
    chance: (probability) => random() < probability,
    pick: (items) => items[int(0, items.length - 1)]!,
    list: (least, most, make) => Array.from({ length: int(least, most) }, (_, index) => make(index)),
  }
}
