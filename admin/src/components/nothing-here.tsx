import { EmptyStateLayout } from '@strapi/design-system';
import { EmptyDocuments } from '@strapi/icons/symbols';

/** What stands where a list would be. */
export const NothingHere = ({ children }: { readonly children: string }) => (
  <EmptyStateLayout icon={<EmptyDocuments width="16rem" />} content={children} hasRadius shadow="tableShadow" />
);
