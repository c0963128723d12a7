import type { Screen } from './screen.ts'
import type { View } from './view.ts'

/** Shows a conversation to a program: each frame as one line of JSON, remarks on the other screen. */
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
