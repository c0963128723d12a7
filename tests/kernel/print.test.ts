import { PassThrough } from 'node:stream'
import { printJson, printTable } from '../../kernel/cli/print.ts'
import t from '../run/file-test.ts'

const HOSTILE = '\u001b]0;owned\u0007\u009b31m\r\n\u202etxt\u2066\u2028\ud800'

const written = (write: (stdout: PassThrough) => void): string => {
  const stdout = new PassThrough({ encoding: 'utf8' })
  write(stdout)
  return stdout.read()
}
/** Everything that a terminal may take for more than a character, except for the end of a line. */
const CONTROL = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u

t.test('names that clients chose control no terminal', async (t) => {
  const table = written((stdout) => printTable(stdout, [['name'], [HOSTILE]]))
  t.notMatch(table, CONTROL)
  t.equal(table.split('\n').length, 3, 'a name stays in its row')
  const json = written((stdout) => printJson(stdout, { name: HOSTILE }))
  t.notMatch(json, CONTROL)
  t.strictSame(JSON.parse(json), { name: HOSTILE }, 'JSON keeps the value')
})
