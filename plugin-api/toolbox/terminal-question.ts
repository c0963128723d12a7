import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** Asks a question on a terminal and returns the answer; a secret one is not shown. Empty if the terminal is closed. */
export async function askOnTerminal(
  { stdin, stderr }: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream },
  label: string,
  { isSecret = false } = {},
): Promise<string> {
  stderr.write(label)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output: isSecret ? hidden : stderr, terminal: true })
  const answer = await new Promise<string>((resolve) => {
    reader.once('line', resolve)
    reader.once('close', () => resolve(''))
  })
  reader.close()
  if (isSecret) stderr.write('\n')
  return answer.trim()
}
