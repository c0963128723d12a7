import { t } from '../i18n/words.ts'
import classes from './values.module.css'

/** Values with their names, nested ones below, as a person reads them. */
export function Values({ of: values }: { of: object }) {
  return (
    <dl className={classes.values}>
      {Object.entries(values).map(([name, value]) => (
        <div key={name} className={isNested(value) ? classes.nested : classes.pair}>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no')
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || '–'
  if (typeof value === 'object') return Object.keys(value).length === 0 ? '–' : <Values of={value} />
  return <span className={classes.text}>{String(value)}</span>
}

const isNested = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !(Array.isArray(value) && value.every((item) => typeof item !== 'object'))
