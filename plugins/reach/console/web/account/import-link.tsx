import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { Upload } from '../ui/icons.ts'
import { Section } from '../ui/section.tsx'

/** The way to the import of conversations. */
export const ImportLink = () => (
  <Section title={t('imports.title')} about={t('imports.about')}>
    <Button
      component={Link}
      to="/account/import"
      variant="default"
      w="fit-content"
      leftSection={<Upload size={14} aria-hidden />}
    >
      {t('imports.open')}
    </Button>
  </Section>
)
