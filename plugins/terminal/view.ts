import type { Message, ServerFrame } from './frames.ts'
import type { Style } from './screen.ts'

/** What stands before a line of the user's. */
export const USER_LABEL = 'you › '

/** How that is painted. */
export const USER_STYLE: Style = ['bold', 'green']

/** Where a conversation is shown. Text from the server is made safe here, not by the caller. */
export interface View {
  /** Terminal columns there are for one line. */
  readonly columns: number
  /** A frame of the turn that is followed. */
  frame(frame: ServerFrame): void
  /** The last messages of a thread that was opened. */
  history(messages: Message[]): void
  /** The turn was sent and nothing has come back yet. */
  wait(): void
  /** A remark of the client's own. */
  note(text: string): void
  /** A line of something that was asked for, or that asks. */
  line(text: string, style?: Style): void
  /** Something failed. */
  fail(code: string, message: string): void
}
