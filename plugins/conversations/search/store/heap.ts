/** A binary heap, whose first item is the one that comes first in the order of `compare`. */
export function createHeap<Item>(compare: (a: Item, b: Item) => number) {
  const items: Item[] = []
  const isBefore = (a: number, b: number) => compare(items[a]!, items[b]!) < 0
  const swap = (a: number, b: number) => {
    const item = items[a]!
    items[a] = items[b]!
    items[b] = item
  }
  return {
    get size() {
      return items.length
    },
    peek: (): Item | undefined => items[0],
    push(item: Item): void {
      items.push(item)
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!isBefore(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    pop(): Item | undefined {
      const first = items[0]
      const last = items.pop()
      if (items.length === 0) return first
      items[0] = last!
      for (let at = 0; ; ) {
        const left = 2 * at + 1
        const right = left + 1
        let next = at
        if (left < items.length && isBefore(left, next)) next = left
        if (right < items.length && isBefore(right, next)) next = right
        if (next === at) return first
        swap(at, next)
        at = next
      }
    },
  }
}
