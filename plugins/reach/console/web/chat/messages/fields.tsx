import { t } from '../../i18n/words.ts'
import classes from './fields.module.css'

/** Deeper values are shown as one line. */
const MAX_DEPTH = 3

/** Named values as a list of names and values, for people who read no JSON. */
export function Fields({ value, depth = 0 }: { value: Record<string, unknown>; depth?: number }) {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && field !== null)
  if (fields.length === 0) return null
  return (
    <dl className={classes.fields}>
      {fields.map(([name, field]) => (
        <div key={name}>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>
            <Value value={field} depth={depth} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value === 'boolean') return t(value ? 'tools.yes' : 'tools.no')
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth >= MAX_DEPTH) return Object.values(value).map(String).join(', ')
  if (!Array.isArray(value)) return <Fields value={value as Record<string, unknown>} depth={depth + 1} />
  if (value.every((item) => typeof item !== 'object')) return value.map(String).join(', ')
  return (
    <ol>
      {value.map((item, index) => (
        <li key={index}>
          <Value value={item} depth={depth + 1} />
        </li>
      ))}
    </ol>
  )
}
