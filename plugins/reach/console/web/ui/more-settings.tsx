import { Button, Collapse, Stack, type StackProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { t } from '../i18n/words.ts'
import { ChevronDown, ChevronRight } from './icons.ts'

/** Fields that most people can leave alone, folded behind a button. */
export function MoreSettings(props: StackProps) {
  const [isOpen, more] = useDisclosure()
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        onClick={more.toggle}
        aria-expanded={isOpen}
        leftSection={isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
      >
        {t('forms.more')}
      </Button>
      <Collapse expanded={isOpen} transitionDuration={100}>
        <Stack gap="lg" pt="md" {...props} />
      </Collapse>
    </div>
  )
}
