import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { ChevronRight, FoldVertical } from '../../ui/icons.ts'
import type { Compaction } from '../compaction.ts'
import { Markdown } from '../markdown/markdown.tsx'
import classes from './call-view.module.css'

/** Says how many messages were summarized for the model; it unfolds to the summary. */
export default function CompactedLine({ compaction }: { compaction: Compaction }) {
  const [isOpen, setOpen] = useState(false)
  const { messages, summary } = compaction
  const isRunning = summary === undefined
  return (
    <div className={classes.call} data-state={isRunning ? 'running' : 'done'}>
      <div role="status">
        {isRunning ? (
          <div className={classes.line}>
            <FoldVertical size={14} aria-hidden className={classes.icon} />
            {t('chat.compacting')}
          </div>
        ) : (
          <UnstyledButton className={classes.line} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <FoldVertical size={14} aria-hidden className={classes.icon} />
            {t('chat.compacted', { count: messages ?? 0 })}
            <ChevronRight size={14} aria-hidden className={classes.chevron} data-open={isOpen} />
          </UnstyledButton>
        )}
      </div>
      {isOpen && !isRunning && (
        <section className={classes.body} aria-label={t('chat.compact_summary')}>
          <Markdown text={summary} />
        </section>
      )}
    </div>
  )
}
