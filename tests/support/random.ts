/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
export function createRandom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Chance that comes out the same for the same seed. */
export interface Chance {
  /** A whole number, both ends included. */
  int(least: number, most: number): number
  /** Whether something happens that happens with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** So many items, each made anew. */
  list<Item>(least: number, most: number, make: (index: number) => Item): Item[]
}

/** Makes a source of chance. */
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
