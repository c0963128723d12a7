import type { Client } from '#client'
import { type Command, type CommandInput, JSON_OPTION, printJson, withDeadline } from '#plugin-api'
import { type AgentVersion, readVersion } from './agent-version.ts'
import { createBench } from './bench.ts'
import { BadCasesError, type EvalCase, readCases } from './cases.ts'
import { type Evaluation, evaluate } from './evaluation.ts'
import { readFeedbackCases } from './feedback-cases.ts'
import type { Cradle } from './manifest.ts'
import { type EvalOptions, OPTIONS, readOptions } from './options.ts'
import { createProgress } from './progress.ts'
import { printReport } from './report.ts'
import { summarize } from './summary.ts'
import { createThrowAway } from './throw-away.ts'

/** The exit codes: all cases have passed, some have failed, the cases could not be run, or the person has left. */
const EXIT = { passed: 0, failed: 1, unable: 2, interrupted: 130 }
/** The longest removal of the account. */
const REMOVAL_MS = 60_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `svc eval`: runs cases as turns of an account that exists only meanwhile, and checks the answers. */
export const evalCommand: Command<Cradle> = {
  name: 'eval',
  summary: 'Test an agent with cases of questions and expected answers, or compare two versions of it',
  arguments: [{ name: 'file', summary: 'file with a case in JSON on each line' }],
  options: [
    ...OPTIONS,
    JSON_OPTION,
    { flags: '--url <url>', summary: 'address of the server (default: the one running here)' },
    {
      flags: '--username <name>',
      summary: 'account to sign in with; it needs the permission to create accounts',
    },
  ],
  database: false,

  async run(input, { terminalAccounts }) {
    const leave = new AbortController()
    const interrupt = () => leave.abort()
    for (const name of SIGNALS) process.on(name, interrupt)
    try {
      return await run(input, terminalAccounts, leave)
    } catch (error) {
      if (leave.signal.aborted) return EXIT.interrupted
      if (!(error instanceof Error)) throw error
      const lines = error instanceof BadCasesError ? error.problems : [terminalAccounts.explain(error)]
      for (const line of lines) input.stderr.write(`${line}\n`)
      return EXIT.unable
    } finally {
      for (const name of SIGNALS) process.off(name, interrupt)
    }
  },
}

async function run(
  input: CommandInput,
  { signIn }: Cradle['terminalAccounts'],
  leave: AbortController,
): Promise<number> {
  const { stdout, stderr } = input
  const options = readOptions(input)
  // A bad line is reported before anybody is asked for a password.
  const fileCases = options.file === undefined ? undefined : await readCases(options.file)
  const { service, url } = await signIn(input, (line) => void stderr.write(`${line}\n`), leave)
  const versions = await Promise.all(
    [{ agent: options.agent, ...(options.model !== undefined && { model: options.model }) }, options.against]
      .flatMap((version) => version ?? [])
      .map((version) => readVersion(service, version)),
  )
  const cases = fileCases ?? (await readVotedCases(service, versions[0]!, options))
  leave.signal.throwIfAborted()

  const account = await createThrowAway(service, url)
  let evaluation: Evaluation
  try {
    evaluation = await runCases(account.client, { cases, versions, options, stderr, signal: leave.signal })
  } finally {
    await withDeadline(REMOVAL_MS, [], () => account.remove()).catch((error: Error) => {
      const advice = `Delete the account ${account.username} yourself.`
      stderr.write(`The account of the evaluation could not be removed: ${error.message} ${advice}\n`)
    })
  }
  const summary = summarize(evaluation, versions)
  if (input.options.json) printJson(stdout, { ...summary, runs: evaluation.cases })
  else printReport(stdout, summary)
  if (evaluation.problem) stderr.write(`The evaluation ended early: ${evaluation.problem}\n`)
  if (evaluation.interrupted) return EXIT.interrupted
  if (evaluation.problem) return EXIT.unable
  const [tested] = summary.versions
  return tested!.passed === tested!.runs ? EXIT.passed : EXIT.failed
}

const readVotedCases = (
  service: Client,
  { source_id }: AgentVersion,
  { limit }: EvalOptions,
): Promise<EvalCase[]> => {
  if (source_id === undefined) throw new Error('--from-feedback needs --agent to be an agent of the server.')
  return readFeedbackCases(service, { agent_id: source_id, most: limit })
}

async function runCases(
  client: Client,
  {
    cases,
    versions,
    options,
    stderr,
    signal,
  }: {
    cases: readonly EvalCase[]
    versions: readonly AgentVersion[]
    options: EvalOptions
    stderr: NodeJS.WriteStream
    signal: AbortSignal
  },
): Promise<Evaluation> {
  const { repeat, parallel, approve, seconds } = options
  const isJudged = cases.some(({ expect }) => expect.judge !== undefined)
  const [{ model, settings }] = versions as [AgentVersion]
  const judge = isJudged ? (options.judge ?? model ?? settings.default_model ?? null) : undefined
  const bench = await createBench(client, { versions, judge, approve, seconds })
  const progress = createProgress(stderr, cases.length * repeat * versions.length)
  try {
    const { sides } = bench
    return await evaluate(cases, {
      ...{ sides, judge: bench.judge, repeat, parallel, signal },
      onRun: ({ failures }) => progress.count(failures.length === 0),
    })
  } finally {
    progress.end()
    bench.close()
  }
}
