import { Parser } from '@asyncapi/parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { describeAsyncApi } from '../kernel/api-document/asyncapi.ts'
import { describeApi } from '../kernel/api-document/openapi.ts'
import { kernelRoutes } from '../kernel/http/kernel-routes.ts'
import { readBlueprint } from '../kernel/loading/blueprint.ts'
import t from './run/file-test.ts'
import { amount, isLong } from './run/tier.ts'
import { createHome } from './support/kernel.ts'

// Not among the kernel's tests: with their coverage, the linters take twice as long.

const { Spectral } = spectralCore
const { oas } = spectralRulesets

const blueprint = await readBlueprint({ home: createHome(t), env: {} })

type Operation = { responses: Record<string, { $ref?: string }> }

/** Spectral reads one of so many paths in `npm test`; the paths that it reads in `npm run test:long` are all. */
const STEP = amount({ short: 10, long: 1 })

/** In `npm test`, only Spectral compares examples with their schemas, which takes Redocly most of its time. */
const RULES: Record<string, 'off'> = isLong ? {} : { 'no-invalid-media-type-examples': 'off' }

/** Returns a document in which only the first use of an error refers to it, as Spectral reads each use anew. */
function dropRepeatedErrors(document: object): Record<string, unknown> {
  const copy = structuredClone(document) as { paths: Record<string, Record<string, Operation>> }
  const seen = new Set<string>()
  for (const methods of Object.values(copy.paths))
    for (const { responses } of Object.values(methods))
      for (const [status, { $ref }] of Object.entries(responses)) {
        if ($ref !== undefined && seen.has($ref)) delete responses[status]
        else if ($ref !== undefined) seen.add($ref)
      }
  return copy
}

t.test('Redocly and Spectral find nothing but the paths that the specification has set', async (t) => {
  const document = describeApi(blueprint, kernelRoutes(blueprint))
  const config = await createConfig({ extends: ['recommended'], rules: RULES })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  t.strictSame(
    problems
      .filter(({ message }) => !message.includes('/agents/from-expert/{expert_id}'))
      .map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  )
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] })
  const paths = Object.entries(document.paths as object).filter((_, index) => index % STEP === 0)
  const results = await spectral.run(dropRepeatedErrors({ ...document, paths: Object.fromEntries(paths) }))
  const isSome = STEP > 1
  t.strictSame(
    results
      .filter(({ code }) => !(isSome && code === 'oas3-unused-component'))
      .map(({ code, message, path }) => [code, message, path.join('/')]),
    [],
  )
})

t.test('the parser of AsyncAPI finds no fault', async (t) => {
  const { diagnostics } = await new Parser().parse(JSON.stringify(describeAsyncApi(blueprint)))
  // It counts hints as well.
  const faults = diagnostics.filter(({ severity }) => severity <= 1)
  t.strictSame(
    faults.map(({ path, message }) => `${path.join('.')}: ${message}`),
    [],
  )
})
