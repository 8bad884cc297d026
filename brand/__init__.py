"""The drawings of the integration, and what makes its pictures of them."""
