import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { Brain, ChevronRight } from '../../ui/icons.ts'
import { Markdown } from '../markdown/markdown.tsx'
import body from './call-body.module.css'
import classes from './call-view.module.css'

interface Props {
  text: string
  /** True while the model adds to it. */
  isRunning: boolean
}

/** Thoughts of the model, folded; while it thinks, with the end of the last line. */
export function Thought({ text, isRunning }: Props) {
  const [isOpen, setOpen] = useState(false)
  const last = isRunning ? (text.trimEnd().split('\n').at(-1)?.slice(-160) ?? '') : ''
  return (
    <div className={classes.call} data-state={isRunning ? 'running' : 'done'}>
      <UnstyledButton className={classes.line} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Brain size={14} aria-hidden className={classes.icon} />
        <span className={classes.verb}>{t(isRunning ? 'tools.thinking' : 'tools.thoughts')}</span>
        <ChevronRight size={14} aria-hidden className={classes.chevron} data-open={isOpen} />
      </UnstyledButton>
      {last && !isOpen && <div className={classes.progress}>{last}</div>}
      {isOpen && (
        <div className={body.body}>
          <Markdown text={text} />
        </div>
      )}
    </div>
  )
}
