import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { PROGRAM, startAcp } from './acp-calls.ts'

const chat = await startAcp(t)
const { callOnce, fake, setRunner } = chat
fake.script(() => ({ text: 'ok' }))

const SECRET = 'canary "of" the/environment'
const MASK = '••••'

/** The error that a call comes to. */
async function fail(lines: string[], settings: object = {}): Promise<string> {
  await setRunner({
    env: { API_KEY: SECRET, ...(settings as { env?: object }).env },
    ...withoutEnv(settings),
  })
  const { output, is_error } = await callOnce(lines)
  t.equal(is_error, true, output.slice(0, 200))
  t.notMatch(output, /canary/, 'secrets are masked')
  return output
}

const withoutEnv = ({ env, ...others }: { env?: object }) => others

t.test('A runner that ends by itself says how, and what it complained of', async (t) => {
  t.equal(
    await fail(['say Well', `stderr it has ${SECRET} and "${encodeURIComponent(SECRET)}"`, 'exit 3']),
    `the external agent "scripted" ended with exit code 3 before it answered\n[stderr]\nit has ${MASK} and "${MASK}"`,
  )
  const long = await fail(['stderr-long', 'exit 0'])
  const [first, mark, ...said] = long.split('\n')
  t.match([first, mark], [/ended with exit code 0/, '[stderr]'])
  t.ok(said.join('\n').length <= 4096 && said.join('\n').length > 1000, 'its end is reported')
  t.match(said.at(-1), 'the last line')
})

t.test('An error that it answers is reported', { skip: onlyLong }, async (t) => {
  t.equal(
    await fail(['fail It broke']),
    `the external agent "scripted" answered with an error: It broke: because of ${MASK} (-32099)`,
  )
  const login = /needs a login first, in its environment or in its home folder/
  t.match(await fail(['need-login']), login)
  t.match(await fail(['say never'], { env: { ACP_LOGIN: 'yes' } }), login)
  t.match(await fail(['say never'], { env: { ACP_VERSION: '99' } }), /does not speak version 1 .*, but 99/)
  t.match(
    await fail(['say never'], { env: { ACP_NULL: 'initialize' } }),
    /does not speak version 1 .*, but none/,
  )
  t.match(await fail(['say never'], { env: { ACP_NULL: 'session/new' } }), /did not open a session/)
  await setRunner({ env: { ACP_NULL: 'session/prompt' } })
  t.equal((await callOnce(['say Well'])).output, 'Well\n[It stopped: it did not say why.]')
})

t.test('What is no message is borne within bounds', async (t) => {
  await setRunner({ env: { API_KEY: SECRET } })
  t.match(await callOnce(['garbage 20', 'say Still here.']), { output: 'Still here.', is_error: false })
  const nonsense = await fail(['garbage 21', 'hang'])
  t.match(
    nonsense,
    /wrote lines that are not messages .* such as "line 21 that is no message, ••••", so it was ended/,
  )
})

t.test('It may not write more than it is allowed to', { skip: onlyLong }, async (t) => {
  await setRunner({ stdio_buffer_limit_bytes: 4096 })
  t.match((await callOnce(['big 3000'])).output, /^x{3000}$/)
  t.match(
    await fail(['big 5000', 'hang'], { stdio_buffer_limit_bytes: 4096 }),
    /sent a message of more than 4096 bytes, so it was ended/,
  )
  t.match(await fail(['flood 257', 'hang']), /wrote more than 256 MiB, so it was ended/)
})

t.test('The end of its answer is the result, and the beginning is shown as progress', async (t) => {
  await setRunner()
  const { output, told: progress } = await callOnce(['big 200000', 'say ä', 'big 200000', 'say The end.'])
  t.ok(Buffer.byteLength(output) <= 64 * 1024)
  t.match(output, /^\[… the beginning of its answer is omitted …\]\nx+The end\.$/)
  t.match(progress, /^x{200000}äx+\n\[the rest of the progress is not shown\]\n$/)
  t.ok(Buffer.byteLength(progress) < 257 * 1024)
})

t.test('A program that cannot be started is named', async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-acp-')), 'plain')
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o600 })
  const cases: [command: string, reason: RegExp][] = [
    ['svc-unheard-of', /its program "svc-unheard-of" was not found/],
    ['/nowhere/at/all', /was not found/],
    [path, /may not be executed/],
    ['true', /ended with exit code 0 before it answered/],
    ['cat', /answered with an error: .*initialize/],
  ]
  for (const [command, reason] of cases) t.match(await fail(['say never'], { command, args: [] }), reason)
  await setRunner(PROGRAM)
})
