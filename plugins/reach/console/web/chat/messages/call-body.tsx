import { t } from '../../i18n/words.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import classes from './call-body.module.css'
import { CallInput } from './call-input.tsx'
import { CallView } from './call-view.tsx'
import type { Call } from './parts.ts'

interface Props {
  call: Call
  isActive: boolean
}

/** The input and output of a call, by the kind of its tool. */
export function CallBody({ call, isActive }: Props) {
  const { name, input, output, live } = call
  const isPlan = name === 'write_todos'
  return (
    <div className={classes.body}>
      <CallInput name={name} input={input} />
      {live?.steps.map((step) => (
        <CallView key={step.id} call={step} isActive={isActive && output === undefined} />
      ))}
      {output === undefined && live?.progress && <Output label={t('tools.progress')} text={live.progress} />}
      {output !== undefined &&
        !isPlan &&
        (name === 'task' ? <Markdown text={output} /> : <Output label={t('tools.output')} text={output} />)}
    </div>
  )
}

function Output({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <CodeBlock code={text} language="" />
    </section>
  )
}
