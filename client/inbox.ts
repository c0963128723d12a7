/** The most frames that wait for a reader. */
const MAX_FRAMES = 1000
/** The most characters that wait for a reader. */
const MAX_CHARS = 1_000_000

/** Creates a bounded queue that is read as an async iterator. */
export const createInbox = <Frame>({
  onEmpty,
  onLeave,
}: {
  /** Called when a reader waits for the next frame. */
  onEmpty(): void
  /** Called when the reader leaves before the end. */
  onLeave(): void
}) => {
  const frames: { frame: Frame; size: number }[] = []
  const readers: { resolve(result: IteratorResult<Frame, undefined>): void; reject(error: unknown): void }[] =
    []
  let chars = 0
  let end: { error?: unknown } | undefined

  const serve = () => {
    while (readers.length > 0) {
      const first = frames.shift()
      if (!first && !end) return onEmpty()
      const { resolve, reject } = readers.shift()!
      if (first) {
        chars -= first.size
        resolve({ value: first.frame, done: false })
      } else if (end!.error === undefined) resolve({ value: undefined, done: true })
      else {
        reject(end!.error)
        end = {}
      }
    }
  }

  const finish = (error?: unknown) => {
    end ??= error === undefined ? {} : { error }
    serve()
  }

  const iterator: AsyncIterableIterator<Frame, undefined> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () =>
      new Promise((resolve, reject) => {
        readers.push({ resolve, reject })
        serve()
      }),
    async return() {
      frames.length = 0
      end = {}
      serve()
      onLeave()
      return { value: undefined, done: true }
    },
  }

  return {
    iterator,

    /** Adds a frame; returns false if there is no room. */
    push(frame: Frame, size: number): boolean {
      if (end) return true
      if (frames.length >= MAX_FRAMES || (frames.length > 0 && chars + size > MAX_CHARS)) return false
      frames.push({ frame, size })
      chars += size
      serve()
      return true
    },

    /** Ends the iterator after the waiting frames, with an error if one is passed. */
    finish,
  }
}
