import { Loader } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { CallInput } from './call-input.tsx'
import { DelegatedSteps } from './delegated-steps.tsx'
import { isDelegation } from './delegation.ts'
import { type Call, listResults } from './parts.ts'
import { useWholeStep } from './recorded-steps.ts'
import { SearchResults } from './search-results.tsx'

interface Props {
  call: Call
  isActive: boolean
}

/** The input and output of a call, by the kind of its tool. */
export default function CallBody({ call, isActive }: Props) {
  const Body = call.recorded ? RecordedBody : WholeBody
  return <Body call={call} isActive={isActive} />
}

/** Reads the input and output of a step of which a list has only the beginning. */
function RecordedBody({ call, isActive }: Props) {
  const { recorded = [], ...rest } = call
  const { data, error, refetch } = useWholeStep(recorded)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loader size="xs" aria-label={t('common.loading')} />
  return <WholeBody call={{ ...rest, ...data }} isActive={isActive} />
}

function WholeBody({ call, isActive }: Props) {
  const { name, input, output, live } = call
  const isPlan = name === 'write_todos'
  const results = listResults(call)
  return (
    <>
      <CallInput name={name} input={input} />
      {isDelegation(call) && <DelegatedSteps call={call} isActive={isActive && output === undefined} />}
      {output === undefined && live?.progress && <Output label={t('tools.progress')} text={live.progress} />}
      {output !== undefined &&
        !isPlan &&
        (isDelegation(call) ? (
          <Markdown text={output} />
        ) : results?.length ? (
          <SearchResults sources={results} />
        ) : (
          <Output label={t('tools.output')} text={output} />
        ))}
    </>
  )
}

function Output({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <CodeBlock code={text} language="" />
    </section>
  )
}
