import type { Core } from '@strapi/strapi';

export const seedHomepage = async (strapi: Core.Strapi, pictures: number[], featured: string[]) => {
  const [image] = pictures;

  await strapi.documents('api::homepage.homepage').create({
    data: {
      hero: {
        heading: 'Harbour Light',
        text: 'A magazine about the coast and those who live by it.',
        image,
      },
      sections: [
        { title: 'This week', text: 'Fresh from the quay.' },
        { title: 'Long reads', text: 'For an evening when the ferry does not sail.' },
        { title: 'Letters', text: 'What our readers saw from the window.' },
      ],
      seo: {
        metaTitle: 'Harbour Light',
        metaDescription: 'A magazine about the coast.',
        shareImage: image,
      },
      featured,
    },
    status: 'published',
  });
};
