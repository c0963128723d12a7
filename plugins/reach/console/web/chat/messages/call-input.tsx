import { t } from '../../i18n/words.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import classes from './call-input.module.css'
import { readInput, toCommandLine } from './describe-call.ts'
import { Fields } from './fields.tsx'
import { Plan, readPlan } from './plan.tsx'

/** The arguments of a call as a person reads them: a command line, a changed file, a plan, an address. */
export function CallInput({ name, input }: { name: string; input: unknown }) {
  const fields = readInput(input)
  const { command, args, shell, cwd, stdin, code, path, content, old_string, new_string, ...otherFields } =
    fields
  if (name === 'execute' && typeof command === 'string') {
    return (
      <>
        {/* Nobody approves the end of a command unseen. */}
        <CodeBlock code={toCommandLine(fields)} language="bash" wrapped />
        <Fields value={{ ...otherFields, ...(cwd ? { [t('tools.in_folder')]: cwd } : {}) }} />
        {typeof stdin === 'string' && (
          <>
            <p className={classes.label}>{t('tools.standard_input')}</p>
            <CodeBlock code={stdin} language="" />
          </>
        )}
      </>
    )
  }
  if (name === 'run_python' && typeof code === 'string')
    return (
      <>
        <CodeBlock code={code} language="python" wrapped />
        <Fields value={{ ...otherFields, ...(cwd ? { [t('tools.in_folder')]: cwd } : {}) }} />
      </>
    )
  if (name === 'write_todos') return <Plan items={readPlan(input)} />
  const { instruction, task } = fields
  if (name === 'task' && typeof instruction === 'string') return <Markdown text={instruction} />
  if (name === 'ask_agent' && typeof task === 'string') return <Markdown text={task} />
  if (name === 'write_file' && typeof content === 'string')
    return (
      <>
        <p className={classes.path}>{String(path)}</p>
        <CodeBlock code={content} language={extensionOf(path)} />
      </>
    )
  if (name === 'edit_file' && typeof old_string === 'string' && typeof new_string === 'string')
    return (
      <>
        <p className={classes.path}>{String(path)}</p>
        <Change removed={old_string} added={new_string} />
        <Fields value={otherFields} />
      </>
    )
  return <Fields value={fields} />
}

/** The lines that an edit removes and adds. */
function Change({ removed, added }: { removed: string; added: string }) {
  const sides = [
    { label: t('tools.removed'), mark: '−', text: removed, kind: 'removed' },
    { label: t('tools.added'), mark: '+', text: added, kind: 'added' },
  ]
  return (
    <div className={classes.change}>
      {sides.map(({ label, mark, text, kind }) => (
        <section key={kind} aria-label={label}>
          <pre data-kind={kind}>
            {text
              .split('\n')
              .map((line) => `${mark} ${line}`)
              .join('\n')}
          </pre>
        </section>
      ))}
    </div>
  )
}

const extensionOf = (path: unknown) => /\.(\w{1,12})$/.exec(String(path))?.[1]?.toLowerCase() ?? ''
