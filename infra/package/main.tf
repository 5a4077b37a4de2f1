# The survey poller, by its CloudFormation template. Beside this file lie the template and the function's zip.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 4.0" }
  }
}

variable "bucket" {
  description = "A bucket in the region of the deployment, for the template and the function's zip."
  type        = string
}

variable "name" {
  description = "Name of the stack: the operator's command takes it as --stack."
  type        = string
  default     = "SurveyPoller"
}

variable "parameters" {
  description = "Parameters of the template, such as { BaseUrl = \"https://surveys.example.com\" }."
  type        = map(string)
}

data "aws_s3_bucket" "deployments" {
  bucket = var.bucket
}

locals {
  # In the template the name of the zip stands where CloudFormation takes an object of S3.
  code     = jsonencode({ S3Bucket = var.bucket, S3Key = aws_s3_object.code.key })
  template = replace(file("${path.module}/survey-poller.template.json"), "\"poll.zip\"", local.code)
}

resource "aws_s3_object" "code" {
  bucket = var.bucket
  key    = "survey-poller/${filemd5("${path.module}/poll.zip")}.zip"
  source = "${path.module}/poll.zip"
}

resource "aws_s3_object" "template" {
  bucket  = var.bucket
  key     = "survey-poller/${md5(local.template)}.template.json"
  content = local.template
}

resource "aws_cloudformation_stack" "poller" {
  name         = var.name
  template_url = "https://${data.aws_s3_bucket.deployments.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  parameters   = var.parameters
  capabilities = ["CAPABILITY_IAM"]
}

output "outputs" {
  description = "Outputs of the stack, such as BusName and CredentialsSecretName."
  value       = aws_cloudformation_stack.poller.outputs
}
