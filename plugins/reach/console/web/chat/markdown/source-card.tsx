import { Popover } from '@mantine/core'
import { describeSource } from '../messages/source-groups.ts'
import type { Source } from '../store/thread-view.ts'
import classes from './source-card.module.css'

/** The title, the origin and the passage of a source, beside the mark that contains the card. */
export default function SourceCard({ source }: { source: Source }) {
  const { title, text } = source
  return (
    <Popover opened position="top" width={340} withRoles={false} transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <span className={classes.target} />
      </Popover.Target>
      <Popover.Dropdown className={classes.card} role="tooltip">
        <span className={classes.title}>{title}</span>
        <span className={classes.origin}>{describeSource(source)}</span>
        {text && <span className={classes.passage}>{text}</span>}
      </Popover.Dropdown>
    </Popover>
  )
}
