import type { SentFrame, ServerFrame } from './frames.ts'
import { createInbox } from './inbox.ts'

/** A frame that has a position in its thread. */
export type PositionedFrame = Exclude<
  ServerFrame,
  SentFrame<'turn_status' | 'turn_queued' | 'unqueued' | 'pong'>
> & {
  thread_id: string
  /** Missing in `path_changed`. */
  turn_id?: string
  seq: number
}

/** True if a frame has a position in its thread. */
export const isPositioned = (frame: ServerFrame): frame is PositionedFrame =>
  'seq' in frame && frame.seq !== undefined

/**
 * Creates a reader of one thread: takes each frame of it once and in order, whatever is replayed. A reader whose frames
 * are not read stops taking them, and asks for the rest once they were.
 */
export const createThreadReader = <Frame extends ServerFrame>({
  thread_id,
  position,
  onBehind,
  onLeave,
}: {
  thread_id?: string | undefined
  /** The `seq` after which frames are taken; undefined until the first one. */
  position?: number | undefined
  /** Called when frames that were not taken can be replayed. */
  onBehind(): void
  onLeave(): void
}) => {
  let isBehind = false
  /** The turn that was running at the start, of which nothing was taken yet. */
  let beginning: Pick<SentFrame<'turn_status'>, 'turn_id' | 'last_seq'> | undefined
  const inbox = createInbox<Frame>({
    onEmpty() {
      if (!isBehind) return
      isBehind = false
      onBehind()
    },
    onLeave,
  })

  return {
    get thread_id() {
      return thread_id
    },
    set thread_id(thread: string | undefined) {
      thread_id = thread
    },
    iterator: inbox.iterator,
    finish: inbox.finish,
    /** The `seq` of the last frame that was taken. */
    get position() {
      return position
    },
    /** The `seq` after which frames are missing; undefined if the running turn is wanted from its start. */
    get wanted() {
      return position ?? (beginning && 0)
    },

    /** Begins at a position of a thread. */
    begin(thread: string, after: number) {
      thread_id = thread
      position = after
    },

    /** Begins at the start of the running turn, or at the end of the thread. */
    beginAt({ active, turn_id, last_seq }: SentFrame<'turn_status'>) {
      if (active) beginning = { turn_id, last_seq }
      else position = last_seq
    },

    /** Adds a frame without a position. */
    addUnpositioned(frame: Frame, size: number) {
      if (!isBehind) inbox.push(frame, size)
    },

    /** Takes the frame at the next position, or skips it; returns `gap` if frames before it are missing. */
    take(frame: PositionedFrame, size: number, isShown = true): 'taken' | 'ignored' | 'gap' {
      if (isBehind || frame.seq <= (position ?? 0)) return 'ignored'
      if (position !== undefined && frame.seq > position + 1) return 'gap'
      if (position === undefined) {
        if (!beginning) return 'ignored'
        // If the thread is replayed from its start, turns before the wanted one are skipped.
        if (frame.turn_id !== beginning.turn_id && frame.seq <= beginning.last_seq) return 'ignored'
      }
      isBehind = isShown && !inbox.push(frame as ServerFrame as Frame, size)
      if (isBehind) return 'ignored'
      position = frame.seq
      return 'taken'
    },
  }
}

/** A reader of one thread. */
export type ThreadReader<Frame extends ServerFrame> = ReturnType<typeof createThreadReader<Frame>>
