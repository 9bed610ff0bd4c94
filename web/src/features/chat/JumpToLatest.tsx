import { ArrowDown } from 'lucide-react'
import { useT } from '@/i18n'
import { Button } from '@/ui/Button'

export function JumpToLatest({ count, onJump }: { count: number; onJump: () => void }) {
  const t = useT()
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 z-10 flex justify-center">
      <Button
        small
        className="pointer-events-auto rounded-full shadow-md shadow-backdrop/10"
        onClick={onJump}
      >
        <ArrowDown size={14} aria-hidden />
        {count > 0 ? t('feed.new', { n: count }) : t('feed.latest')}
      </Button>
    </div>
  )
}
