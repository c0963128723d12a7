import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import t from '../run/file-test.ts'
import { chooseSeed, isLong } from '../run/tier.ts'
import { startChat } from '../support/chat.ts'

const COMMAND = process.env.SVC_TEST_SCHEMATHESIS ?? 'schemathesis'
const { status } = spawnSync(COMMAND, ['--version'])

/** The most requests to an operation in each phase. */
const EXAMPLES = 20
/** Operations that end the session of the caller or take its account away. */
const ENDING = ['logOut', 'endSession', 'changePassword', 'rotateSecrets']
/** Replies of streams never end. */
const ENDLESS = ['streamTrajectory', 'resumeTurn']

/** The reason to skip these tests, or false. */
const absent =
  status === 0
    ? false
    : `${COMMAND} does not run here: pip install schemathesis, or set SVC_TEST_SCHEMATHESIS`

t.test('Every reply is one that the document describes', { skip: absent || !isLong }, async (t) => {
  const { server } = await startChat(t)
  const seed = chooseSeed(1)
  t.comment(`seed ${seed}`)
  const run = spawn(COMMAND, [
    'run',
    `${server.url}/api/openapi.json`,
    `--header=Authorization: Bearer ${server.admin.token}`,
    '--checks=all',
    // The requests of an administrator are no test of who may do what; that of authorization is.
    '--exclude-checks=ignored_auth,object_level_authorization',
    ...[...ENDING, ...ENDLESS].map((operation) => `--exclude-operation-id=${operation}`),
    '--phases=examples,coverage,fuzzing',
    `--max-examples=${EXAMPLES}`,
    `--seed=${seed}`,
    '--continue-on-failure',
    '--warnings=off',
    '--no-color',
    ...(process.env.SVC_TEST_SCHEMATHESIS_OPTIONS ?? '').split(' ').filter(Boolean),
  ])
  const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'close')])
  const failures = output.slice(Math.max(0, output.indexOf('= FAILURES =')))
  t.equal(code, 0, failures.slice(0, 20_000))
})
