import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { startChat } from '../../support/chat.ts'
import { approve, call, resultsIn } from '../conversations/approval-calls.ts'
import { createWorkspace } from './shell-calls.ts'

/** The smallest PNG, in base64. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const writePicture = (path: string) => `echo ${PNG} | base64 -d > ${path}`

t.test('The pictures, tables and documents that a program writes are attached', async (t) => {
  const { workspace, attached, shell } = await createWorkspace(t)
  writeFileSync(join(workspace, 'old.png'), Buffer.from(PNG, 'base64'))
  writeFileSync(join(workspace, 'changed.csv'), 'a,b\n')
  // The clocks of file systems are coarse.
  await shell('sleep 0.1')
  attached.splice(0)
  const output = await shell(`${writePicture('chart.png')}
    echo 1,2 >> changed.csv
    mkdir -p results/deep node_modules/x .hidden; echo x > results/deep/report.pdf; echo '<svg/>' > results/drawing.SVG
    echo x > node_modules/x/logo.png; echo x > .hidden/secret.png; echo x > .dot.png; echo x > script.js; : > empty.png`)
  t.strictSame(
    [...attached].sort((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { path: 'changed.csv', media_type: 'text/csv' },
      { path: 'chart.png', media_type: 'image/png', for_model: true },
      { path: 'results/deep/report.pdf', media_type: 'application/pdf' },
      { path: 'results/drawing.SVG', media_type: 'image/svg+xml' },
    ],
  )
  t.match(output, /^\(no output\)\n\[shown to the user: ".*chart\.png".*\]\n\[exit code 0\]$/)
  await shell('sleep 0.1')
  attached.splice(0)
  t.equal(await shell('cat chart.png changed.csv > /dev/null'), '(no output)\n[exit code 0]')
  t.strictSame(attached, [], 'what is only read is not attached')
})

t.test(
  'At most ten are attached, none by a link, none that is too large, also if the program fails',
  async (t) => {
    const { base, workspace, attached, shell } = await createWorkspace(t)
    mkdirSync(join(base, 'private'))
    writeFileSync(join(base, 'private', 'key.png'), 'the key')
    symlinkSync(join(base, 'private'), join(workspace, 'folder'))
    const output =
      await shell(`ln -s ${base}/private/key.png key.png; ln -s ${base}/private more; mkfifo pipe.png
    head -c 22M /dev/zero > large.png
    for i in 1 2 3 4 5 6 7 8 9; do ${writePicture('early-$i.png')}; done
    sleep 0.1; for i in 1 2 3; do ${writePicture('late-$i.png')}; done; exit 3`)
    t.equal(attached.length, 10)
    t.strictSame(
      attached
        .map(({ path }) => path)
        .slice(-3)
        .sort(),
      ['late-1.png', 'late-2.png', 'late-3.png'],
    )
    t.equal(attached.filter(({ for_model }) => for_model).length, 4, 'a model sees four')
    t.match(
      output,
      /\[not shown: 2 older pictures, tables and documents that were also written\]\n\[exit code 3\]$/,
    )
  },
)

t.test('In a chat they are part of the answer, and can be read', { skip: noBubblewrap }, async (t) => {
  const chat = await startChat(t, { config: { plugins: { shell: { sandbox: 'required' } } } })
  const { fake, server, agent_id } = chat
  fake.next(
    { toolCalls: [call('call_x', 'execute', { command: writePicture('chart.png'), shell: true })] },
    { text: 'ok' },
  )
  const { frames } = await (await chat.connect()).ask({ text: 'go' }, () => [approve])
  t.strictSame(resultsIn(frames), [
    ['call_x', '(no output)\n[shown to the user: "chart.png"]\n[exit code 0]', false],
  ])
  const attachments = frames.filter(({ type }) => type === 'attachment')
  t.match(attachments, [{ path: 'chart.png', media_type: 'image/png' }])
  const seen = JSON.stringify(fake.requests.at(-1)!.body)
  t.match(seen, PNG.slice(0, 40), 'the model sees the picture')
  const file = await server.request('GET', `/agents/${agent_id}/files/content?path=chart.png`, {
    raw: true,
  } as never)
  t.equal(file.status, 200)
})
