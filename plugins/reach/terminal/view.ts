import type { Message, ServerFrame } from './frames.ts'
import type { Screen, Style } from './screen.ts'

/** The label of a line that the user typed. */
export const USER_LABEL = 'you › '

/** The style of that label. */
export const USER_STYLE: Style = ['bold', 'green']

/** Shows a conversation. Text from the server is made safe here, not by the caller. */
export interface View {
  /** The terminal columns of one line. */
  readonly columns: number
  /** Shows a frame of the followed turn. */
  frame(frame: ServerFrame): void
  /** Shows the last messages of a thread that was opened. */
  history(thread_id: string, messages: Message[]): void
  /** Shows that the turn was sent and nothing has come back yet. */
  wait(): void
  /** Shows a remark of the client itself. */
  note(text: string): void
  /** Shows a line of requested output, or of a question. */
  line(text: string, style?: Style): void
  /** Shows that something failed. */
  fail(code: string, message: string): void
}

/** Shows a conversation to a program: each frame as one line of JSON, and remarks on the other screen. */
export const createFrameLog = ({ stream, detail }: { stream: NodeJS.WriteStream; detail: Screen }): View => ({
  get columns() {
    return detail.columns
  },
  frame: (frame) => stream.write(`${JSON.stringify(frame).replace(/[\x7f-\x9f]/g, escapeCode)}\n`),
  history: () => undefined,
  wait: () => undefined,
  note: (text) => detail.writeLine(text),
  line: (text, style) => detail.writeLine(text, style),
  fail: (code, message) => detail.writeLine(`${message} (${code})`),
})

const escapeCode = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`
