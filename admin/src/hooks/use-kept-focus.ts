import { useEffect } from 'react';

/**
 * For what takes the focus and then goes, together with what had it before: gives it to the view that is shown, so that
 * nobody who has no mouse has to begin at the top of the page.
 */
export const useKeptFocus = (): void =>
  useEffect(
    () => () =>
      void setTimeout(() => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>('#main-content [role=tabpanel][data-state=active]')?.focus();
      }),
    [],
  );
