import { Anchor, NumberInput, Text } from '@mantine/core'
import { findWord, t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useIssue } from '../ui/issues.tsx'
import { SchemaForm } from '../ui/schema-form.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import type { EngineValues } from './engine-form.ts'
import type { SearchEngineKind } from './web-search.ts'

interface Props {
  kind: SearchEngineKind
  /** The place of the engine in the order, which begins at 0. */
  position: number
  values: EngineValues
  onChange(changes: Partial<EngineValues>): void
}

/** The pages on which somebody gets a key, or reads how to run the engine. */
const PAGES: Record<string, string> = {
  searxng: 'https://docs.searxng.org/admin/installation-docker.html',
  brave: 'https://api-dashboard.search.brave.com/',
  tavily: 'https://app.tavily.com/',
  serper: 'https://serper.dev/',
  exa: 'https://dashboard.exa.ai/',
  jina: 'https://jina.ai/api-dashboard/',
}

/** The fields of a search engine: what its schema describes, and the price of a search. */
export function EngineFields({ kind, position, values, onChange }: Props) {
  const { currency } = useFacts()
  const about = findWord(`web-search.about_${kind.kind}`)
  const page = PAGES[kind.kind]
  const error = useIssue(`/engines/${position}/price`)
  return (
    <>
      {about && (
        <Text size="sm" c="var(--meta)">
          {about}{' '}
          {page && (
            <Anchor href={page} target="_blank" rel="noreferrer noopener" inherit underline="always">
              {t(kind.kind === 'searxng' ? 'web-search.how_to_run' : 'web-search.get_key')}
            </Anchor>
          )}
        </Text>
      )}
      <SchemaForm
        schema={kind.config_schema as Schema}
        values={values.config}
        onChange={(config) => onChange({ config })}
        of={kind.kind.replaceAll('-', '_')}
        at={`/engines/${position}`}
      />
      {currency && (
        <NumberInput
          label={t('web-search.price', { currency })}
          description={t('web-search.price_help')}
          min={0}
          decimalScale={6}
          hideControls
          value={values.price ?? ''}
          error={error}
          onChange={(price) => onChange({ price: price === '' ? null : Number(price) })}
        />
      )}
    </>
  )
}
