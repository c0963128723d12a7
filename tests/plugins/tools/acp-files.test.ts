import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { ofType } from '../conversations/approval-calls.ts'
import { startAcp } from './acp-calls.ts'

const chat = await startAcp(t)
const { callOnce, fake, server, workspace } = chat
fake.script(() => ({ text: 'ok' }))
const outside = join(server.home, 'outside')

t.test('A runner reads files of the workspace, or some of their lines', async (t) => {
  mkdirSync(join(workspace, 'sub'))
  writeFileSync(join(workspace, 'sub', 'lines'), 'one\r\ntwo\nthree\nfour')
  const read = async (path: string) => (await callOnce([`read ${path}`])).output
  t.equal(await read('sub/lines'), '[sub/lines: one\r\ntwo\nthree\nfour]')
  const { output } = await callOnce([
    `read ${join(workspace, 'sub', 'lines')}`,
    'read sub/lines 2',
    'read sub/lines 2 2',
    'read sub/lines 1 1',
    'read sub/lines 9 1',
    'read sub/lines 1 0',
  ])
  const [whole, ...parts] = output.split(/(?<=\])(?=\[)/)
  t.match(whole, /: one\r\ntwo\nthree\nfour\]$/)
  t.strictSame(parts, [
    '[sub/lines: two\nthree\nfour]',
    '[sub/lines: two\nthree\n]',
    '[sub/lines: one\r\n]',
    '[sub/lines: ]',
    '[sub/lines: ]',
  ])
})

t.test('What it writes is shown to the reader of the turn', async (t) => {
  const absolute = join(workspace, 'notes.md')
  const { output, frames } = await callOnce([
    'write new/deep/file.txt some text',
    `write ${absolute} # Notes`,
    `write ${absolute} # Other notes`,
  ])
  t.equal(output, `[new/deep/file.txt: written][${absolute}: written][${absolute}: written]`)
  t.equal(readFileSync(join(workspace, 'new/deep/file.txt'), 'utf8'), 'some text')
  t.equal(readFileSync(absolute, 'utf8'), '# Other notes')
  t.match(ofType(frames, 'attachment'), [
    { path: 'new/deep/file.txt', media_type: 'text/plain' },
    { path: 'notes.md', media_type: 'text/markdown' },
  ])
  t.equal(ofType(frames, 'attachment').length, 2, 'each file once')
})

t.test('Nothing leads it out of the workspace, and it receives the reason why it has no file', async (t) => {
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'the secret')
  symlinkSync(join(outside, 'secret'), join(workspace, 'link'))
  symlinkSync(outside, join(workspace, 'folder-link'))
  writeFileSync(join(workspace, 'binary'), Buffer.from([0xff, 0xfe, 0]))
  writeFileSync(join(workspace, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1, 'x'))
  const cases: [step: string, answer: RegExp][] = [
    [`read ${join(outside, 'secret')}`, /\(-32602 .* is outside the workspace\)/],
    ['read ../../outside/secret', /is outside the workspace/],
    ['read link', /leads out of the workspace through a link/],
    ['read folder-link/secret', /leads out of the workspace through a link/],
    ['write folder-link/made x', /leads out of the workspace through a link/],
    ['write link x', /leads out of the workspace through a link/],
    ['write ../../outside/made x', /is outside the workspace/],
    [`write ${join(outside, 'made')} x`, /is outside the workspace/],
    ['read nothing', /\(-32002 .*Resource not found/],
    ['read sub', /is a folder/],
    ['write sub x', /is a folder/],
    ['read binary', /is not UTF-8 text/],
    ['read large', /at most 4194304 bytes can be read/],
  ]
  const { output, is_error } = await callOnce(cases.map(([step]) => step))
  const answers = output.split(/(?<=\)\])(?=\[)/)
  t.equal(is_error, false)
  for (const [index, [step, answer]] of cases.entries()) t.match(answers[index], answer, step)
  t.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'the secret')
  t.throws(() => readFileSync(join(outside, 'made')), { code: 'ENOENT' })
})
