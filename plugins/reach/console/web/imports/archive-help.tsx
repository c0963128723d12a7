import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import classes from './imports.module.css'

const PRODUCTS = [
  { value: 'chatgpt', label: 'ChatGPT' },
  { value: 'claude', label: 'Claude' },
  { value: 'openwebui', label: 'Open WebUI' },
  { value: 'librechat', label: 'LibreChat' },
] as const

type Product = (typeof PRODUCTS)[number]['value']

/** Says where each product has its export. */
export function ArchiveHelp() {
  const [product, setProduct] = useState<Product>('chatgpt')
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        w="fit-content"
        maw="100%"
        aria-label={t('imports.product')}
        data={[...PRODUCTS]}
        value={product}
        onChange={setProduct}
      />
      <ol className={classes.steps}>
        {t(`imports.steps_${product}`)
          .split('\n')
          .map((step) => (
            <li key={step}>{step}</li>
          ))}
      </ol>
      <Text size="sm" c="var(--meta)">
        {t(`imports.note_${product}`)}
      </Text>
    </Stack>
  )
}
