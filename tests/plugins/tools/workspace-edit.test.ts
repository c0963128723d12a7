import { writeFileSync } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { changeFile } from '../../../plugins/tools/workspace/files/file-replacement.ts'
import t from '../../run/file-test.ts'
import { anySize, countingTurns, createWorkspace } from './workspace-calls.ts'

t.test('One exact occurrence is replaced, and the file attached', async (t) => {
  const { attached, call, fill, read } = await createWorkspace(t)
  await fill({ 'src/main.ts': 'const a = 1\nconst b = 2\n' })
  const result = await call('edit_file', {
    path: './src/main.ts',
    old_string: 'b = 2',
    new_string: 'b = $& + $1',
  })
  t.equal(result, '1 occurrence replaced in "src/main.ts"')
  t.equal(await read('src/main.ts'), 'const a = 1\nconst b = $& + $1\n', 'a dollar sign is one')
  t.strictSame(attached, [{ path: 'src/main.ts', media_type: 'text/plain' }])
  await call('edit_file', { path: 'src/main.ts', old_string: 'const a = 1\n', new_string: '' })
  t.equal(await read('src/main.ts'), 'const b = $& + $1\n', 'a text can be taken out')
})

t.test('An edit that cannot be applied is refused with a hint, and nothing is changed', async (t) => {
  const { attached, fill, read, refused } = await createWorkspace(t)
  const text = 'if (a) {\n\tgo()\n}\nif (b) {\n\tgo()\n}\n'
  await fill({ file: text, empty: '' })
  const table: [old_string: string, new_string: string, message: RegExp, title: string][] = [
    ['', 'x', /old_string is empty/, 'an empty text'],
    ['go()', 'go()', /are the same/, 'no change'],
    ['stop()', 'x', /does not occur in "file"; it must be the same to the last character/, 'another text'],
    ['if (a) {\n    go()\n}', 'x', /it does with other whitespace/, 'other indentation'],
    ['go()', 'x', /occurs 2 times in "file".*replace_all/, 'two places'],
    ['\ud83d', 'x', /within a character/, 'half of a character'],
    ['go', '\ude00', /within a character/, 'half of a character to be written'],
  ]
  for (const [old_string, new_string, message, title] of table)
    await refused('edit_file', { path: 'file', old_string, new_string }, message, title)
  await refused('edit_file', { path: 'empty', old_string: 'a', new_string: 'b' }, /does not occur/, 'empty')
  await refused(
    'edit_file',
    { path: 'none', old_string: 'a', new_string: 'b' },
    /"none" does not exist/,
    'no file',
  )
  await refused(
    'edit_file',
    { path: 'no/ne', old_string: 'a', new_string: 'b' },
    /"no\/ne" does not exist/,
    'no folder, and none is made',
  )
  t.equal(await read('file'), text)
  t.strictSame(attached, [])
})

t.test('With replace_all every occurrence is replaced, from the left and without overlaps', async (t) => {
  const { call, fill, read } = await createWorkspace(t)
  await fill({ file: 'aaaaa b aab' })
  t.match(
    await call('edit_file', { path: 'file', old_string: 'aa', new_string: 'aaa', replace_all: true }),
    /^3 occurrences replaced/,
  )
  t.equal(await read('file'), 'aaaaaaa b aaab')
  await fill({ file: 'abababac ababac' })
  await call('edit_file', { path: 'file', old_string: 'ababac', new_string: '-', replace_all: true })
  t.equal(await read('file'), 'ab- -', 'what begins within a false start is found')
})

t.test('Line ends and a byte order mark stay as they are', async (t) => {
  const { call, fill, read } = await createWorkspace(t)
  await fill({ crlf: '\ufeffone\r\ntwo\r\nthree\r\n', mixed: 'one\r\ntwo\nthree\r\n' })
  await call('edit_file', { path: 'crlf', old_string: 'one\ntwo', new_string: '1\n2\n2b' })
  t.equal(await read('crlf'), '\ufeff1\r\n2\r\n2b\r\nthree\r\n')
  await call('edit_file', { path: 'crlf', old_string: 'three', new_string: '3\r\n4\n5' })
  t.equal(await read('crlf'), '\ufeff1\r\n2\r\n2b\r\n3\r\n4\r\n5\r\n')
  await call('edit_file', { path: 'mixed', old_string: 'two\nthree', new_string: '2\n3' })
  t.equal(await read('mixed'), 'one\r\n2\n3\r\n', 'of a mixed file only what was named is changed')
  await t.rejects(call('edit_file', { path: 'mixed', old_string: 'one\n2', new_string: '' }), {
    message: /other whitespace/,
  })
  await t.rejects(call('edit_file', { path: 'crlf', old_string: '1\n', new_string: '1\r\n' }), {
    message: /both strings are the same/,
  })
})

t.test('Binary and too large files are not edited', async (t) => {
  const { fill, refused, call } = await createWorkspace(t)
  const limit = 4 * 1024 * 1024
  await fill({
    zeros: Buffer.alloc(10),
    latin: Buffer.from([0x61, 0xe4]),
    large: 'x'.repeat(limit + 1),
    full: `${'x'.repeat(limit - 1)}y`,
    many: 'x'.repeat(100_001),
  })
  const edit = { old_string: 'y', new_string: 'zz' }
  await refused('edit_file', { path: 'zeros', ...edit }, /is not UTF-8 text \(10 bytes\)/, 'zeros')
  await refused('edit_file', { path: 'latin', ...edit }, /is not UTF-8 text \(2 bytes\)/, 'another encoding')
  await refused('edit_file', { path: 'large', ...edit }, /at most 4194304 can be edited/, 'too large')
  await refused('edit_file', { path: 'full', ...edit }, /would have 4194305 bytes/, 'too large afterwards')
  await refused(
    'edit_file',
    { path: 'many', old_string: 'x', new_string: 'y', replace_all: true },
    /occurs more than 100000 times/,
    'too many places',
  )
  t.match(await call('edit_file', { path: 'full', old_string: 'y', new_string: 'z' }), /^1 occurrence/)
})

t.test('The worst text to find takes no longer than others', async (t) => {
  const { call, fill } = await createWorkspace(t)
  const half = 'a'.repeat(500_000)
  await fill({ file: 'a'.repeat(4_000_000) })
  await t.rejects(call('edit_file', { path: 'file', old_string: `${half}b${half}`, new_string: '' }), {
    message: /does not occur/,
  })
})

t.test('Files keep their mode, and new ones get the usual one', async (t) => {
  const { workspace, call, fill } = await createWorkspace(t)
  await fill({ script: '#!/bin/sh\n', 'private.txt': 'x' })
  const modeOf = async (path: string) => (await stat(join(workspace, path))).mode & 0o7777
  await chmod(join(workspace, 'script'), 0o751)
  await chmod(join(workspace, 'private.txt'), 0o600)
  await call('edit_file', { path: 'script', old_string: 'sh', new_string: 'bash' })
  await call('write_file', { path: 'private.txt', content: 'y' })
  await call('write_file', { path: 'new.txt', content: 'z' })
  t.equal(await modeOf('script'), 0o751)
  t.equal(await modeOf('private.txt'), 0o600)
  t.equal(await modeOf('new.txt'), 0o666 & ~process.umask())
  t.strictSame(
    (await readdir(workspace)).sort(),
    ['new.txt', 'private.txt', 'script'],
    'nothing else is left',
  )
})

t.test('Concurrent readers see the old text or the new one', async (t) => {
  const { call, read } = await createWorkspace(t)
  const [short, long] = ['a'.repeat(10), 'b'.repeat(3_000_000)]
  await call('write_file', { path: 'file', content: short })
  let isWriting = true
  const seen = new Set<string>()
  const reader = (async () => {
    while (isWriting) seen.add(await read('file'))
  })()
  for (let round = 0; round < 10; round++) {
    await call('write_file', { path: 'file', content: long })
    await call('edit_file', { path: 'file', old_string: long.slice(0, 1_000_000), new_string: short }).catch(
      () => undefined,
    )
    await call('write_file', { path: 'file', content: short })
  }
  isWriting = false
  await reader
  t.ok([...seen].every((text) => text === short || text === long))
  t.ok(seen.size > 0)
})

t.test('Concurrent edits of one file are all applied', async (t) => {
  const { call, fill, read } = await createWorkspace(t)
  const words = Array.from({ length: 40 }, (_, i) => `word${i};`)
  await fill({ file: words.join('\n') })
  await Promise.all(
    words.map((word) => call('edit_file', { path: 'file', old_string: word, new_string: `${word}done` })),
  )
  t.equal(await read('file'), words.map((word) => `${word}done`).join('\n'))
})

t.test('A concurrent change by somebody else is not overwritten', async (t) => {
  const { workspace, call, fill, read } = await createWorkspace(t)
  await fill({ file: 'a' })
  const change = (bytes: Buffer) => {
    writeFileSync(join(workspace, 'file'), 'longer')
    return bytes
  }
  const location = { root: workspace, parts: ['file'] }
  await t.rejects(changeFile(location, change, { grow: anySize, signal: new AbortController().signal }), {
    message: /"file" was changed meanwhile/,
  })
  t.equal(await read('file'), 'longer')
  t.equal(await call('glob', { pattern: '{,.}*' }), 'file', 'no temporary file is left')
})

t.test('A stopped turn edits no file', async (t) => {
  const { call, fill, read } = await createWorkspace(t)
  await fill({ file: 'a' })
  const edit = { path: 'file', old_string: 'a', new_string: 'b' }
  await t.rejects(call('edit_file', edit, AbortSignal.abort()), { name: 'AbortError' })
  t.equal(await read('file'), 'a')
})

t.test('Writing large files does not block the event loop', async (t) => {
  const { call } = await createWorkspace(t)
  const content = 'x'.repeat(4 * 1024 * 1024)
  const { turns } = await countingTurns(() => call('write_file', { path: 'file', content }))
  t.ok(turns > 0)
})
