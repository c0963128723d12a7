import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { deriveOperationId } from '../../plugins/operation/api-docs/documents/operation.ts'
import t, { type Test } from '../run/file-test.ts'
import { chooseSeed, onlyLong } from '../run/tier.ts'
import { createCalls, createSampler, listRoutes } from '../support/route-calls.ts'
import { arrange, type Cast, startCast } from '../support/route-cast.ts'
import type { TestServer } from '../support/server.ts'

const COMMAND = process.env.SVC_TEST_SCHEMATHESIS ?? 'schemathesis'
const { status } = spawnSync(COMMAND, ['--version'])

/** The most requests to an operation in each phase. */
const EXAMPLES = 20
/** Of the values in paths and bodies, the part that names what exists. */
const KNOWN = 0.8
/** Operations that end the session of the caller. */
const ENDING = ['logOut', 'changePassword']
/** Operations whose replies never end. */
const ENDLESS = ['streamTrajectory', 'streamEvents']

/**
 * Statuses that every request may be answered with: the schema of a request does not say what exists, or is in use. Errors
 * of the server are another check's.
 */
const ANSWERS = ['2xx', '3xx', '401', '403', '404', '409', '429', '5xx']

/** Operations that may refuse what fits their schemas, with further statuses. */
const REFUSALS: readonly { statuses: readonly string[]; operations: readonly string[] }[] = [
  {
    // The models that are offered, and the experts, differ from server to server; so do plugins' permissions and tools.
    statuses: ['400', '422'],
    operations: [
      ...['createAgent', 'updateAgent', 'createAgentFromExpert', 'publishExpert', 'installPublishedExpert'],
      ...['polishPrompt', 'setActiveModel', 'createChatCompletion', 'createResponse'],
      ...['createApiKey', 'createInvite', 'createUser', 'updateUser', 'setToolSettings'],
      ...['updateThread', 'setKnowledgeSettings'],
    ],
  },
  {
    // Each kind has a schema of its own for options and settings, and some addresses are not allowed.
    statuses: ['400', '422'],
    operations: [
      ...['createProvider', 'updateProvider', 'probeProvider', 'testProvider'],
      ...['createGlobalProvider', 'updateGlobalProvider', 'probeGlobalProvider', 'testGlobalProvider'],
      ...['createChannel', 'updateChannel', 'probeChannel', 'createChannelQrCode', 'pollChannelQrCode'],
      ...['setSignInSettings', 'setOidcSettings', 'createConnector', 'updateConnector', 'probeConnector'],
    ],
  },
  {
    // Codes are valid once, and some ways to sign in are off. No pattern tells valid percent-encoding.
    statuses: ['400', '410', '422'],
    operations: [
      ...['validateInvite', 'redeemInvite', 'startSignIn', 'startOidcSignIn', 'startBinding'],
      ...['exchangeSignInCode', 'exchangeOidcCode'],
    ],
  },
  {
    // Passwords, codes and challenges are right or wrong, or too old.
    statuses: ['400', '422'],
    operations: [
      ...[
        'beginPasskey',
        'addPasskey',
        'signInWithPasskey',
        'beginTotp',
        'renewRecoveryCodes',
        'resetPassword',
      ],
    ],
  },
  // A file must be of a kind that can be read; several files have the path of a folder.
  { statuses: ['413', '415', '422'], operations: ['addKnowledgeDocuments'] },
  // A runner that is not built in must have a program.
  { statuses: ['422'], operations: ['setAcpRunners', 'setAcpRunner', 'setAgentAcp'] },
  // No pattern tells valid expressions, time zones, and times that are still to come.
  {
    statuses: ['400', '422'],
    operations: ['createSchedule', 'updateSchedule', 'previewSchedule', 'listTaskExamples'],
  },
  // A format for tags of languages does not exist.
  { statuses: ['422'], operations: ['updateOwnAccount'] },
  // The files must be a skill, of a bounded size, or an export; with a list of files, parameters for archives are refused.
  {
    statuses: ['400', '413', '422'],
    operations: [
      'createAgentSkill',
      'writeAgentSkill',
      'writePackageSkill',
      'addPackageSkills',
      'importThread',
    ],
  },
  // The protocol decides what is a message.
  { statuses: ['400', '406', '415'], operations: ['exchangeMcpMessage'] },
  // There is one decision for each request, of a kind that the request allows.
  { statuses: ['422'], operations: ['resumeTurn'] },
]

/** Operations that call a service which may be away. */
const CALLING = ['startSignIn', 'startOidcSignIn', 'startBinding']

/** The reason to skip these tests, or false. */
const absent =
  status === 0
    ? false
    : `${COMMAND} does not run here: pip install schemathesis, or set SVC_TEST_SCHEMATHESIS`

/**
 * Writes the configuration of a run: for each operation, the objects that its path names and the values of a body that
 * it accepts, so that most requests reach their handler.
 */
async function describeRun(t: Test, cast: Cast): Promise<string> {
  const calls = createCalls(t, cast)
  const caller = cast.administrator
  // The model of the document's examples.
  const openai = {
    name: 'openai',
    kind: 'openai-compatible',
    base_url: cast.upstream,
    models: [{ id: 'gpt-5' }],
  }
  await arrange(cast.server, caller, ['POST', '/admin/providers', openai])
  const lines: string[] = []
  const operations: string[] = []
  const routes = listRoutes(cast)
  const samplesOf = createSampler(cast, routes)
  for (const route of routes) {
    if (route.method === 'SOCKET') continue
    const sample = samplesOf(route)[0]!
    // The caller's own account would be changed.
    const object = sample.on?.kind === '/users/:id' ? 'other' : sample.on && Object.keys(sample.on.answers)[0]
    const call = { route, sample, caller, ...(object !== undefined && { object }) }
    const params = await calls.paramsOf(call)
    const body = (await calls.bodyOf(call)) ?? {}
    const id = route.operation_id ?? deriveOperationId(route.method, route.path)
    const realValues = [
      ...Object.entries(params).map(([name, value]) => [`path.${name}`, value] as const),
      ...Object.entries(body).flatMap(([name, value]) =>
        typeof value === 'string' ? [[`body.${name}`, value] as const] : [],
      ),
    ]
    const bindings = realValues.map(([field, value]) => {
      const dictionary = `${id}-${field.replace('.', '-')}`
      lines.push(`[dictionaries.${dictionary}]`, `values = [${JSON.stringify(value)}]`)
      return `${JSON.stringify(field)} = { dictionary = "${dictionary}", probability = ${KNOWN} }`
    })
    operations.push('[[operations]]', `include-operation-id = "${id}"`)
    if (bindings.length > 0) operations.push('[operations.parameters]', ...bindings)
    const refusals = REFUSALS.filter(({ operations }) => operations.includes(id))
    const expected = [...ANSWERS, ...refusals.flatMap(({ statuses }) => statuses)]
    operations.push('[operations.checks.positive_data_acceptance]', expect(expected))
    if (CALLING.includes(id))
      operations.push('[operations.checks.not_a_server_error]', expect(['2xx', '3xx', '4xx', '502']))
  }
  return [...PHASES, ...NEGATIVE, ...lines, ...operations].join('\n')
}

const expect = (statuses: readonly string[]) => `expected-statuses = ${JSON.stringify(statuses)}`

/** A text that is too long for its schema may be too long for the headers of a request as well. */
const NEGATIVE = [
  '[checks.negative_data_rejection]',
  expect(['400', '401', '403', '404', '405', '406', '409', '413', '415', '422', '429', '431']),
]

/** Ids of earlier replies are left out: one is that of the caller's session. */
const PHASES = ['examples', 'coverage', 'fuzzing'].flatMap((phase) => [
  `[phases.${phase}.extra-data-sources]`,
  'responses = false',
])

/** Parameters that fit their schemas and are refused: places and versions that no server has made, and names used before. */
const OWN_WORDS = ['cursor', 'If-Match', 'Idempotency-Key']

/** Reads the document, without the errors of the server itself, which would allow every status. */
async function readDocument({ request }: TestServer): Promise<object> {
  type Content = Record<string, { schema: object }>
  type Operation = { responses: Record<string, { content?: Content }>; parameters: { name: string }[] }
  const { body } = await request('GET', '/openapi.json')
  for (const methods of Object.values<Record<string, Operation>>(body.paths))
    for (const operation of Object.values(methods)) {
      delete operation.responses.default
      operation.parameters = operation.parameters.filter(({ name }) => !OWN_WORDS.includes(name))
      for (const { content } of Object.values(operation.responses)) {
        const stream = content?.['text/event-stream']
        // The document describes the data of events, which are checked as a whole here.
        if (stream) stream.schema = { type: 'object', properties: { data: { type: 'string' } } }
      }
    }
  return body
}

t.test('Every reply is one that the document describes', { skip: onlyLong || absent }, async (t) => {
  const cast = await startCast(t, { requests_per_minute: 10_000_000, requests_burst: 1_000_000 })
  const { server, administrator } = cast
  const folder = t.testdir({})
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  write('schemathesis.toml', await describeRun(t, cast))
  write('openapi.json', JSON.stringify(await readDocument(server)))
  const seed = chooseSeed(1)
  t.comment(`seed ${seed}`)
  const run = spawn(
    COMMAND,
    [
      `--config-file=${join(folder, 'schemathesis.toml')}`,
      'run',
      'openapi.json',
      `--url=${server.url}/api`,
      `--header=Authorization: Bearer ${administrator.token}`,
      '--checks=all',
      ...[...ENDING, ...ENDLESS].map((operation) => `--exclude-operation-id=${operation}`),
      '--phases=examples,coverage,fuzzing',
      `--max-examples=${EXAMPLES}`,
      `--seed=${seed}`,
      '--continue-on-failure',
      '--warnings=off',
      '--no-color',
      ...(process.env.SVC_TEST_SCHEMATHESIS_OPTIONS ?? '').split(' ').filter(Boolean),
    ],
    // It stores what it has found in its working directory.
    { cwd: folder },
  )
  const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'close')])
  t.equal((await server.request('GET', '/auth/me', { token: administrator.token })).status, 200)
  const failures = output.slice(Math.max(0, output.indexOf('= FAILURES ='))).replace(/(.)\1{100,}/g, '$1…')
  // The name of an assertion is shown by its first line alone.
  if (code !== 0) console.error(failures.slice(0, 20_000))
  t.equal(code, 0, 'the run found nothing')
})
