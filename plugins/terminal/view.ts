import type { Message, ServerFrame } from './frames.ts'
import type { Style } from './screen.ts'

/** What stands before a line of the user's. */
export const USER_LABEL = 'you › '

/** How that is painted. */
export const USER_STYLE: Style = ['bold', 'green']

/** Where a conversation is shown. Text from the server is made safe here, not by the caller. */
export interface View {
  /** A frame of the turn that is followed. */
  frame(frame: ServerFrame): void
  /** The last messages of a thread that was opened. */
  history(messages: Message[]): void
  /** The turn was sent and nothing has come back yet. */
  wait(): void
  /** A remark of the client's own. */
  note(text: string): void
  /** A line of a list that was asked for. */
  line(text: string): void
  /** Something failed. */
  fail(code: string, message: string): void
}
