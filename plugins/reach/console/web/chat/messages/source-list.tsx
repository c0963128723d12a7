import { t } from '../../i18n/words.ts'
import { SourceLink } from '../markdown/source-link.tsx'
import { describeSource, type SourceGroup, type SourceGroups } from './source-groups.ts'
import classes from './source-list.module.css'

interface Props extends SourceGroups {
  /** True if the sources have their numbers in the answer. */
  isNumbered?: boolean
}

/** The sources that answers cite; those that agents only saw are folded. */
export function SourceList({ cited, uncited, isNumbered = false }: Props) {
  const notCited = t(cited.length > 0 ? 'chat.sources_not_cited' : 'chat.sources_seen', {
    count: uncited.length,
  })
  return (
    <div className={classes.list}>
      {cited.length > 0 && <Groups label={t('chat.sources')} groups={cited} isNumbered={isNumbered} />}
      {uncited.length > 0 && (
        <details>
          <summary>{notCited}</summary>
          <Groups label={notCited} groups={uncited} isNumbered={false} />
        </details>
      )}
    </div>
  )
}

interface GroupsProps {
  label: string
  groups: readonly SourceGroup[]
  isNumbered: boolean
}

function Groups({ label, groups, isNumbered }: GroupsProps) {
  return (
    <ul aria-label={label}>
      {groups.map(({ key, sources: [first, ...others] }) => (
        <li key={key} data-numbered={isNumbered}>
          <SourceLink source={first}>
            {isNumbered && <span className={classes.number}>{first.number}</span>}
            <span className={classes.title}>{first.title}</span>
          </SourceLink>
          {isNumbered &&
            others.map((source) => (
              <SourceLink key={source.id} source={source} label={`${source.title} ${source.number}`}>
                <span className={classes.number}>{source.number}</span>
              </SourceLink>
            ))}
          <span className={classes.origin}>{describeSource(first)}</span>
        </li>
      ))}
    </ul>
  )
}
